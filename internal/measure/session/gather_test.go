package session

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/engine"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/profile"
	"github.com/loadline/loadline/internal/plan/scale"
)

// last is the number of the volume whose pod starts when all others are there.
const last = 5

// podOf returns a worker in a pod with a volume that was created for it. write answers the requests to
// write the volume, and those to stop.
func podOf(t *testing.T, target model.Target, number int, write func(emit func(model.Event), r model.Request)) *placed {
	t.Helper()
	here, there := net.Pipe()
	t.Cleanup(func() { here.Close(); there.Close() })
	go func() {
		seq := int64(0)
		emit := func(ev model.Event) {
			seq++
			ev.Seq = seq
			line, _ := json.Marshal(ev)
			_, _ = there.Write(append(line, '\n'))
		}
		emit(model.Event{Hello: &model.Hello{Protocol: model.ProtocolVersion}})
		for lines := bufio.NewScanner(there); lines.Scan(); {
			var r model.Request
			switch err := json.Unmarshal(lines.Bytes(), &r); {
			case err != nil:
				return
			case r.Probe != nil && number == last && r.Probe.Tools["fio"] != "3.33":
				emit(model.Event{ID: r.ID, Error: model.BrokenError("the others of this node have not told which fio is there", "")})
			case r.Probe != nil:
				emit(model.Event{ID: r.ID, Probed: &model.ProbeResult{Engines: []string{"io_uring"}, Tools: map[string]string{"fio": "3.33"}, Direct: true, Capacity: 8 << 30, MakesFile: true,
					Environment: model.Environment{Storage: model.Storage{Device: fmt.Sprint("loop", number)}}}})
			case r.Prepare != nil, r.Stop != nil:
				write(emit, r)
			case r.Bye != nil:
				emit(model.Event{ID: r.ID, Bye: &struct{}{}})
			}
		}
	}()
	w, err := engine.Connect(t.Context(), here)
	if err != nil {
		t.Fatal(err)
	}
	target.Kind, target.Path = model.Directory, "/volume"
	return &placed{worker: w, target: target, cluster: &model.Cluster{Node: "node1", Made: true, Capacity: 1 << 30}, link: io.NopCloser(nil)}
}

// noting answers that the volume is written, and sends the request to asked.
func noting(asked chan<- model.PrepareRequest) func(func(model.Event), model.Request) {
	return func(emit func(model.Event), r model.Request) {
		asked <- *r.Prepare
		emit(model.Event{ID: r.ID, Prepared: &model.Preparation{Written: r.Prepare.Volume.Size}})
	}
}

// gatheringOf gathers volumes of a StorageClass that put creates.
func gatheringOf(t *testing.T, volumes int, size int64, put func(ctx context.Context, target model.Target, by placeOptions) (*placed, error)) *gathering {
	t.Helper()
	r := model.ScaleRequest{Volumes: []int{volumes}, Workload: "rand-read-iops"}
	base, err := profile.Lookup("standard")
	if err != nil {
		t.Fatal(err)
	}
	p, err := scale.Profile(r, base)
	if err != nil {
		t.Fatal(err)
	}
	return &gathering{env: env.OS(),
		Places: &Places{}, profile: p, put: put, engines: map[alike]*engines{},
		exp:     model.Experiment{Scenario: scale.Name, Scale: &r, Seed: 7, Size: size, MaxPrefill: 30},
		targets: []model.Target{{Name: "sc:csi", Kind: model.StorageClass, Cluster: &model.ClusterVolume{Class: "csi"}}},
		by:      Request{Touch: true, Several: &Several{Targets: []string{"sc:csi"}, Volumes: volumes}},
	}
}

// TestVolumesAreWrittenWhilePodsAreWaitedFor: the last pod starts only when the volumes of all others are
// written, and the plan then needs nothing else.
func TestVolumesAreWrittenWhilePodsAreWaitedFor(t *testing.T) {
	const volumes = last
	asked := make(chan model.PrepareRequest, volumes)
	early := 0
	c := gatheringOf(t, volumes, 16<<20, func(_ context.Context, target model.Target, by placeOptions) (*placed, error) {
		var number int
		if _, err := fmt.Sscanf(by.suffix, "-v%d", &number); err != nil {
			return nil, err
		}
		for number == last && early < volumes-1 {
			select {
			case <-asked:
				early++
			case <-time.After(10 * time.Second):
				return nil, errors.New("nothing is written while a pod is waited for")
			}
		}
		return podOf(t, target, number, noting(asked)), nil
	})
	members, err := c.gather(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var places []scale.Place
	for _, m := range members {
		places = append(places, m.place)
	}
	plan, err := scale.Build(c.exp, c.profile, places)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range members {
		if err := m.at.worker.Close(); err != nil {
			t.Error(err)
		}
		if want := plan.PrepareRequest(i); want.Volume.Size != 16<<20 || want.Volume.Node != "node1" || want.MaxSeconds != 3*30*volumes {
			t.Errorf("volume %d: %+v", i, want)
		}
	}
	if len(asked) != 1 {
		t.Errorf("%d volumes were written after the last pod was there, want its own", len(asked))
	}
}

// TestNothingIsWrittenWhileItsSizeIsUnknown: without --size the size depends on a bandwidth, which must be
// measured without other workers.
func TestNothingIsWrittenWhileItsSizeIsUnknown(t *testing.T) {
	asked := make(chan model.PrepareRequest, 2)
	number := make(chan int, 2)
	number <- 1
	number <- 2
	c := gatheringOf(t, 2, 0, func(_ context.Context, target model.Target, _ placeOptions) (*placed, error) {
		return podOf(t, target, <-number, noting(asked)), nil
	})
	if _, err := c.gather(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(asked) > 0 {
		t.Errorf("written before the size is known: %+v", <-asked)
	}
}

// TestAnInterruptEndsTheWriting: after an interrupt, the caller gets back the workers that exist, to remove
// them.
func TestAnInterruptEndsTheWriting(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	stopped := false
	c := gatheringOf(t, 1, 16<<20, func(_ context.Context, target model.Target, _ placeOptions) (*placed, error) {
		return podOf(t, target, 1, func(emit func(model.Event), r model.Request) {
			if r.Prepare != nil {
				interrupt()
				return
			}
			stopped = true
			emit(model.Event{ID: r.Stop.ID, Error: model.BrokenError("the prefill was stopped", "")})
		}), nil
	})
	members, err := c.gather(ctx)
	if !errors.Is(err, context.Canceled) || !stopped || len(members) != 1 || members[0].at == nil {
		t.Errorf("stopped %t, %d members, %v", stopped, len(members), err)
	}
}

// TestAlternateLoadsNodesInTurn: of the first k workers, no node has more than one beyond any other node
// that still has some.
func TestAlternateLoadsNodesInTurn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 12).Draw(t, "nodes")
		all := make([]member, len(nodes))
		has := map[string]int{}
		for i, n := range nodes {
			all[i].at = &placed{cluster: &model.Cluster{Node: n}}
			has[n]++
		}
		alternate(all)
		got := map[string]int{}
		for k, m := range all {
			node := m.at.cluster.Node
			got[node]++
			for other := range has {
				if got[other] < has[other] && got[other] < got[node]-1 {
					t.Fatalf("after %d of %v: %v", k+1, nodes, got)
				}
			}
		}
		for n := range has {
			if got[n] != has[n] {
				t.Fatalf("%v of %v", got, has)
			}
		}
	})
}
