// Package place says what a place is: somewhere that a worker can be put, which gives a byte
// stream to it. Its opinion: the engine speaks with a worker in the same words wherever it
// is, so a place is one method, what it needs to know of one worker is one struct, and
// package placetest asks every place whether it keeps what is promised here. The places are
// below this package, and package session lists them.
package place

import (
	"context"
	"io"

	"github.com/loadline/loadline/internal/model"
)

// Place is somewhere that workers can be put. It is used by several goroutines at once.
type Place interface {
	// Put starts a worker. ctx bounds the putting alone: the worker outlives it, is told to
	// stop, and answers first. After an error nothing is left.
	Put(ctx context.Context, a Assignment) (*Worker, error)
}

// Assignment is what a place needs to know of one worker.
type Assignment struct {
	// RunID names the run, and Suffix tells its workers apart, "" for the only one: own files
	// and objects are called by both.
	RunID, Suffix string
	// Target is what was named, and Size the bytes of a volume that is to be made for it.
	Target model.Target
	Size   int64
	// Log is where an application keeps its log, where that is not with its data, and LogSize the
	// bytes of a volume that is to be made for it.
	Log     *model.Target
	LogSize int64
	// Destroys tells that the user allows an existing raw device to be overwritten.
	Destroys bool
	// Index is the number of the volume on its target, from 0: it chooses among several hosts.
	Index int
	// Node is the node that it has to be on, "" for what the user demands; Near one that is
	// preferred, for measuring two volumes at one place.
	Node, Near string
	// ClientNode is where in a cluster an application's load tool is to run, as
	// model.AppRequest.Client has it; "" where it is with the server.
	ClientNode string
	// Spread is how the workers of the run are to lie on nodes.
	Spread Spread
	// Say gets remarks for people; it is required.
	Say func(string)
}

// Name is what the worker's own files are called by.
func (a Assignment) Name() string { return a.RunID + a.Suffix }

// Spread is what is asked of the workers of one run.
type Spread string

// The spreads: none, for one worker or for workers that have to be together; Even, which is
// hard but for a volume that was bound to nodes before its pod; Strict, which is hard
// whatever the volume; and Loose, which is only preferred.
const (
	Even   Spread = "even"
	Strict Spread = "hard"
	Loose  Spread = "soft"
)

// Worker is one that was put somewhere.
type Worker struct {
	// Link is the stream to it, JSON lines of model.Request and model.Event. It begins with the
	// worker's hello, and takes lines of up to 16 MiB. Where it ends, Read says why in a
	// sentence: a *model.WorkerError, io.EOF after the worker was told to go, or a
	// *model.FinishedError where only its place knows that it went well. Close ends the worker
	// if it is still there, waits until it has cleaned up, and takes down what the place has
	// made; it may be called again, and then does nothing.
	Link io.ReadWriteCloser
	// Target is what was named, as the worker sees it.
	Target model.Target
	// Host is what people call the machine, "" for this one.
	Host string
	// Cluster is what is known of the place in a cluster; nil outside of one.
	Cluster *model.Cluster
}
