package session

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// end is a worker's end of a link.
type end struct {
	net.Conn
	lines *bufio.Scanner
}

func pipeTo() (ours net.Conn, theirs end) {
	a, b := net.Pipe()
	return a, end{b, bufio.NewScanner(b)}
}

func (e end) say(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(e, line+"\n"); err != nil {
		t.Error(err)
	}
}

func (e end) hears(t *testing.T, want string) {
	t.Helper()
	if !e.lines.Scan() || e.lines.Text() != want {
		t.Errorf("%q, want %q", e.lines.Text(), want)
	}
}

const aHello = `{"seq":1,"hello":{"protocol":1,"version":"dev","clock":1,"hostname":"h","pid":1}}`

// TestTwoWorkersAreJoined: the engine receives the numbered events of the server's worker, and nothing
// else; what that worker sends to the client's arrives there, and the answers come back.
func TestTwoWorkersAreJoined(t *testing.T) {
	serverLink, server := pipeTo()
	clientLink, client := pipeTo()
	go client.say(t, aHello)
	j, err := join(t.Context(), env.OS().Clock, serverLink, clientLink)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		server.say(t, aHello)
		server.say(t, `{"seq":0,"client":{"id":7,"load":{"password":"secret"}}}`)
		server.say(t, `{"seq":2,"id":1,"done":{}}`)
	}()
	engine := bufio.NewScanner(j)
	sees := func(want string) {
		t.Helper()
		if !engine.Scan() || engine.Text() != want {
			t.Errorf("the engine sees %q, want %q", engine.Text(), want)
		}
	}
	sees(aHello)
	client.hears(t, `{"id":7,"load":{"password":"secret"}}`)
	sees(`{"seq":2,"id":1,"done":{}}`)
	go client.say(t, `{"seq":2,"id":7,"loaded":{}}`)
	server.hears(t, `{"id":0,"client":{"seq":2,"id":7,"loaded":{}}}`)
	go func() { _, _ = io.WriteString(j, `{"id":2,"clock":{}}`+"\n") }()
	server.hears(t, `{"id":2,"clock":{}}`)

	// If the client disappears, the server's worker is told, and its engine then hears of it.
	client.Close()
	if !server.lines.Scan() {
		t.Fatal("nothing is said of a client that is gone")
	}
	var told model.Request
	if err := json.Unmarshal(server.lines.Bytes(), &told); err != nil || told.Client == nil || told.Client.ID != 0 || told.Client.Error == nil || !strings.Contains(told.Client.Error.Message, "the client's pod was lost") {
		t.Errorf("%v: %s", err, server.lines.Text())
	}
	server.Close()
	if engine.Scan() {
		t.Errorf("after the end: %q", engine.Text())
	}
	if err := errors.Join(j.Close(), j.Close()); err != nil {
		t.Error(err)
	}
}

// TestAClientCannotSendRequests: the pod of a client has no volume, so what it sends never becomes a
// request to the worker that has one; a client that tries is lost.
func TestAClientCannotSendRequests(t *testing.T) {
	for _, line := range []string{
		`null,"id":99,"prepare":{"volume":{"target":{"name":"/data/x","kind":"file","path":"/data/x"},"size":4096},"destroy":"/data/x","max_seconds":1}`,
		`{"id":1},"stop":{"id":1}`,
		`{}}{"bye":{}`,
		`[]`,
	} {
		serverLink, server := pipeTo()
		clientLink, client := pipeTo()
		go client.say(t, aHello)
		if _, err := join(t.Context(), env.OS().Clock, serverLink, clientLink); err != nil {
			t.Fatal(err)
		}
		go client.say(t, line)
		if !server.lines.Scan() {
			t.Fatalf("%s: nothing is sent", line)
		}
		var got model.Request
		err := json.Unmarshal(server.lines.Bytes(), &got)
		if err != nil || got.Client == nil || got.Client.Error == nil || !strings.Contains(got.Client.Error.Message, "not an event") {
			t.Errorf("%s became %s", line, server.lines.Text())
		}
		got.Client = nil
		if rest, _ := json.Marshal(got); string(rest) != "{}" && string(rest) != `{"id":0}` {
			t.Errorf("%s became %s", line, rest)
		}
		server.Close()
		client.Close()
	}
}

// TestAClientOfAnotherVersionIsRefused: two workers that do not speak the same are not joined.
func TestAClientOfAnotherVersionIsRefused(t *testing.T) {
	for hello, words := range map[string]string{
		`{"seq":1,"hello":{"protocol":99}}`: "speaks protocol 99",
		`{"seq":1,"id":3,"done":{}}`:        "did not say hello first",
	} {
		serverLink, _ := pipeTo()
		clientLink, client := pipeTo()
		go client.say(t, hello)
		if _, err := join(t.Context(), env.OS().Clock, serverLink, clientLink); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", hello, err)
		}
	}
}
