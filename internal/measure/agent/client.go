package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/measure/volume"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/remote"
)

// client is the worker in the pod of an application's load tool, as the server's worker sees it: requests
// to it are sent among the events, and whoever holds both links passes them on.
type client struct {
	w *worker
	// tool is the name of the load tool that is to run there.
	tool string

	mu      sync.Mutex
	last    int
	waiting map[int]chan model.Event
	// lost is the reason why nothing more will come from it, nil while it is there; gone is closed when
	// lost is set.
	lost error
	gone chan struct{}
}

func newClient(w *worker) *client {
	return &client{w: w, waiting: map[int]chan model.Event{}, gone: make(chan struct{})}
}

// clientStop is how long the client may take to answer a request that was stopped: its load tool is killed
// after a few seconds, and the answer has to arrive.
const clientStop = 30 * time.Second

// Load implements load.Client.
func (c *client) Load(ctx context.Context, req remote.Request, on func(model.Event)) (*remote.Result, error) {
	req.Tool = c.tool
	text, err := json.Marshal(req)
	if err != nil {
		return nil, err
	}
	events, id := c.register()
	defer c.forget(id)
	c.send(model.Request{ID: id, Load: text})
	done := ctx.Done()
	var limit <-chan time.Time
	for {
		select {
		case ev := <-events:
			switch {
			case ev.Error != nil:
				return nil, ev.Error
			case ev.Loaded != nil:
				var res remote.Result
				if err := json.Unmarshal(ev.Loaded, &res); err != nil {
					return nil, fmt.Errorf("the answer of the client's pod cannot be read: %w", err)
				}
				return &res, nil
			case on != nil:
				on(ev)
			}
		case <-done:
			done, limit = nil, c.w.Env.After(clientStop)
			c.send(model.Request{ID: id, Stop: &model.StopRequest{ID: id}})
		case <-limit:
			return nil, errors.Join(ctx.Err(), fmt.Errorf("the client's pod did not answer within %s", clientStop))
		case <-c.gone:
			return nil, c.lost
		}
	}
}

func (c *client) register() (chan model.Event, int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	ch := make(chan model.Event, 256)
	c.waiting[c.last] = ch
	return ch, c.last
}

func (c *client) forget(id int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, id)
}

// send writes a request for the client. It has no number among the events: the engine, which counts them,
// does not see it.
func (c *client) send(req model.Request) {
	line, err := json.Marshal(model.Event{Client: &req})
	if err != nil {
		return
	}
	c.w.outMu.Lock()
	defer c.w.outMu.Unlock()
	_, _ = c.w.out.Write(append(line, '\n'))
}

// hear handles an event from the client. An error that does not belong to a request is its end.
func (c *client) hear(ev model.Event) {
	c.mu.Lock()
	if ev.ID == 0 && ev.Error != nil && c.lost == nil {
		c.lost = ev.Error
		close(c.gone)
	}
	ch := c.waiting[ev.ID]
	c.mu.Unlock()
	if ch == nil {
		return
	}
	select {
	case ch <- ev:
	case <-c.w.Env.After(clientStop):
		// Nothing receives it: its request is about to be forgotten.
	}
}

// end tells requests that wait for the client that its answers are no longer passed on.
func (c *client) end() {
	c.hear(model.Event{Error: model.BrokenError("the session ended", "")})
}

// attach connects an application that is loaded from another pod to its client.
func (w *worker) attach(tool load.Tool, ask *model.AppRequest) error {
	if !remote.HasOwnPod(ask) {
		return nil
	}
	if tool.Remote == nil {
		return model.RefusedError(ask.Name+" has no client that could run in another pod", "leave --client-node out")
	}
	w.client.tool = tool.Name
	tool.Remote.LoadFrom(w.client)
	return nil
}

// load is the client's side: it runs the load tool in a directory that is removed with the request.
func (w *worker) load(ctx context.Context, id int, text json.RawMessage) (_ json.RawMessage, err error) {
	var req remote.Request
	if err := json.Unmarshal(text, &req); err != nil {
		return nil, model.BrokenError(fmt.Sprintf("the request for the client cannot be read: %v", err), "use the same version of loadline at both ends")
	}
	i := slices.IndexFunc(w.Tools, func(t load.Tool) bool { return t.Name == req.Tool && t.Remote != nil })
	if i < 0 {
		return nil, model.RefusedError("this worker has no client of an application", "use the same version of loadline at both ends")
	}
	place, err := volume.MakeWorkDir(env.TempDir(), w.RunID)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, place.Close()) }()
	res, err := w.Tools[i].Remote.LoadFor(ctx, place.Root(), req, func(ev model.Event) {
		ev.ID = id
		w.emit(ev)
	})
	if err != nil {
		return nil, err
	}
	return json.Marshal(res)
}
