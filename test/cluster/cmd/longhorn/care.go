package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"regexp"
	"strings"
	"time"
)

const (
	// look is the interval at which the controller is asked for its replicas.
	look = 2 * time.Second
	// replenish is how long a replica may be gone before it is replaced; Longhorn's own
	// default is ten minutes.
	replenish = 6 * time.Second
	// rebuildTime bounds a rebuild.
	rebuildTime = 2 * time.Minute
)

// care monitors the replicas until the volume is detached, records their state,
// and replaces each one that has failed.
func (v *volume) care() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	failed := map[string]time.Time{}
	seen := ""
	for {
		select {
		case <-v.over:
			return
		case <-time.After(look):
		}
		modes, err := v.modes()
		if err != nil {
			log.Printf("%s: %v", v.id, err)
			continue
		}
		if now := fmt.Sprint(modes); now != seen {
			seen = now
			if err := v.note(ctx); err != nil {
				log.Printf("%s: %v", v.id, err)
			}
		}
		for node, mode := range modes {
			switch since, known := failed[node]; {
			case mode != failedMode:
				delete(failed, node)
			case !known:
				failed[node] = time.Now()
			case time.Since(since) > replenish:
				delete(failed, node)
				if err := v.rebuild(ctx, node); err != nil {
					log.Printf("%s: the replica on %s is not rebuilt: %v", v.id, node, err)
				}
			}
		}
	}
}

// The engine's modes of a replica; any other mode means that it is being rebuilt.
const goodMode, failedMode = "RW", "ERR"

// replicaLine matches a replica in the engine's list: its address and its mode.
var replicaLine = regexp.MustCompile(`(?m)^tcp://(\S+)\s+([A-Z]+)\b`)

// modes returns the mode of each node's replica. A replica that the controller no longer has is failed.
func (v *volume) modes() (map[string]string, error) {
	out, err := v.tell("ls-replica")
	if err != nil {
		return nil, err
	}
	byAddress := map[string]string{}
	for _, m := range replicaLine.FindAllStringSubmatch(out, -1) {
		byAddress[m[1]] = m[2]
	}
	modes := map[string]string{}
	for node, address := range v.replicas {
		if modes[node] = byAddress[address]; modes[node] == "" {
			modes[node] = failedMode
		}
	}
	return modes, nil
}

// tell sends the controller a command.
func (v *volume) tell(args ...string) (string, error) {
	return run(append([]string{v.engine, "--url", v.control}, args...)...)
}

// rebuild replaces a node's replica with a new one that has the data of the others. The
// volume stays in use meanwhile.
func (v *volume) rebuild(ctx context.Context, node string) error {
	nodes, err := v.records.nodes(ctx)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		if n.name != node {
			continue
		}
		if _, err := v.tell("rm-replica", "tcp://"+v.replicas[node]); err != nil && !strings.Contains(err.Error(), "not found") {
			return err
		}
		if _, err := ask(n.address, "/stop", v.id, nil); err != nil {
			return err
		}
		address, err := ask(n.address, "/start", v.id, v.query(true))
		if err != nil {
			return err
		}
		v.replicas[node] = address
		// A rebuild that hangs must not prevent detaching the volume.
		done := make(chan error, 1)
		go func() {
			_, err := v.tell("add-replica", "--size", v.size, "--current-size", v.size, "tcp://"+address)
			done <- err
		}()
		select {
		case err := <-done:
			return errors.Join(err, v.note(ctx))
		case <-v.over:
			return nil
		case <-time.After(rebuildTime):
			return fmt.Errorf("it takes longer than %s", rebuildTime)
		}
	}
	return errors.New("the node is not there")
}

// note records the current state of the volume, its engine and its replicas.
func (v *volume) note(ctx context.Context) error {
	modes, err := v.modes()
	if err != nil {
		return err
	}
	state := healthy
	if len(modes) < len(v.nodes) {
		state = degraded
	}
	for _, mode := range modes {
		if mode != goodMode {
			state = degraded
		}
	}
	return errors.Join(v.records.volume(ctx, v.id, v.settings, v.Node, state), v.records.engine(ctx, v.id, v.settings, v.Node, modes),
		v.records.replicas(ctx, v.id, v.settings, modes))
}
