// Package place defines what a place is: somewhere that a worker can run, with a byte stream to it. Its
// assumptions: the engine uses the same protocol wherever the worker is, so a place is one method, what it
// needs to know about a worker is one struct, and package placetest checks that every place keeps what is
// promised here. The places are below this package, and package session lists them.
package place

import (
	"context"
	"io"

	"github.com/loadline/loadline/internal/model"
)

// Place is somewhere that workers can run. It must be safe for use by several goroutines.
type Place interface {
	// Put starts a worker. ctx limits only the start: the worker survives the end of ctx, is told to stop,
	// and answers first. After an error nothing is left.
	Put(ctx context.Context, a Assignment) (*Worker, error)
}

// Assignment is what a place needs to know about one worker.
type Assignment struct {
	// RunID names the run, and Suffix distinguishes its workers, "" if there is only one: both are part of
	// the names of files and objects.
	RunID, Suffix string
	// Target is the target that was named, and Size the bytes of a volume that is to be created for it.
	Target model.Target
	Size   int64
	// Log is where an application keeps its log, if not with its data, and LogSize the bytes of a volume
	// that is to be created for it.
	Log     *model.Target
	LogSize int64
	// Destroys is set if the user allows an existing raw device to be overwritten.
	Destroys bool
	// Index is the number of the volume on its target, from 0: it selects one of several hosts.
	Index int
	// Node is the required node, "" for what the user demands; Near is a preferred one, for measuring two
	// volumes in one place.
	Node, Near string
	// ClientNode is where in a cluster an application's load tool is to run, as in model.AppRequest.Client;
	// "" if it runs with the server.
	ClientNode string
	// Spread says how the workers of the run are to be spread over nodes.
	Spread Spread
	// Say receives remarks for the user; it is required.
	Say func(string)
}

// Name returns the name that the worker's files are based on.
func (a Assignment) Name() string { return a.RunID + a.Suffix }

// Spread is a constraint on the nodes of the workers of one run.
type Spread string

// The spreads: none, for one worker or for workers that have to be together; Even, which is hard except for
// a volume that was bound to nodes before its pod was placed; Strict, which is hard whatever the volume;
// and Loose, which is only a preference.
const (
	Even   Spread = "even"
	Strict Spread = "hard"
	Loose  Spread = "soft"
)

// Worker is a worker that was started in a place.
type Worker struct {
	// Link is the stream to the worker, JSON lines of model.Request and model.Event. It begins with the
	// worker's hello, and accepts lines of up to 16 MiB. At its end, Read returns the reason: a
	// *model.WorkerError, io.EOF after the worker was told to end, or a *model.FinishedError if only its
	// place knows that it ended well. Close ends the worker if it is still there, waits until it has
	// cleaned up, and removes what the place has created; calling it again does nothing.
	Link io.ReadWriteCloser
	// Target is the named target as the worker sees it.
	Target model.Target
	// Host is the name of the machine for people, "" for this one.
	Host string
	// Cluster is what is known about the place in a cluster; nil outside of one.
	Cluster *model.Cluster
}
