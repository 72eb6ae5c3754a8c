package run

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// maxCharged bounds how much memory one guest can make the host hold until its run
// ends: the keys of gaps and of coverage, and staged cursors. A million keys of
// ordinary length fit several times over.
const maxCharged = 256 << 20

// maxQueued is how many bytes of cursors may wait for the writer: a cursor has up to
// 8 MiB, and the queue counts operations.
const maxQueued = 16 << 20

// journal is a run's way to the store, which every part of the run shares. It
// remembers the first failure, after which no message counts, and what the run
// knows that it did not collect.
type journal struct {
	ctx    context.Context // ends with the run; what is written outlives it
	stop   func(error)     // ends the run: the guest is asked to stop, then killed
	writer *storage.RunWriter
	now    func() time.Time
	known  knownGaps

	charged int64 // see chargeMemory
	queued  int   // see waitForWriter

	mu        sync.Mutex // guards what follows
	violation error
	storeErr  error
}

// lasting is the context of a write, which goes on when the run is told to end.
func (j *journal) lasting() context.Context { return context.WithoutCancel(j.ctx) }

// fail keeps the first violation and returns err for the engine, which ends the
// guest. An error that came from the store is no violation.
func (j *journal) fail(err error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.violation == nil && j.storeErr == nil {
		j.violation = err
	}
	return err
}

// stored keeps the first storage error: the run cannot go on without the store.
func (j *journal) stored(err error) error {
	if err == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.storeErr == nil {
		j.storeErr = err
	}
	return err
}

// failures returns the first violation and the first storage error.
func (j *journal) failures() (violation, storeErr error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.violation, j.storeErr
}

func (j *journal) storeError() error {
	_, err := j.failures()
	return err
}

// event queues one event behind everything the run has written so far.
func (j *journal) event(kind, stream string, data any) error {
	raw, err := json.Marshal(data)
	if err != nil {
		return err
	}
	return j.stored(j.writer.Event(j.lasting(), storage.Event{Type: kind, Stream: stream, Data: raw}))
}

// waitForWriter counts bytes of a cursor that is about to be queued, and waits until
// the queue is empty once many are.
func (j *journal) waitForWriter(bytes int) error {
	if j.queued += bytes; j.queued < maxQueued {
		return nil
	}
	j.queued = 0
	return j.stored(j.writer.Flush(j.lasting()))
}

// chargeMemory counts bytes that stay in memory until the run ends; a negative
// number gives some back.
func (j *journal) chargeMemory(bytes int) error {
	if j.charged += int64(bytes); j.charged > maxCharged {
		return abi.NewError(abi.CodeTooManyMessages,
			fmt.Sprintf("gaps, coverage and cursors of more than %d MiB", maxCharged>>20),
			"use shorter keys and cursors, or collect less in one run")
	}
	return nil
}
