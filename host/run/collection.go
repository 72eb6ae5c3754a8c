package run

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/boundary"
	"github.com/pdpp-host/pdpp-host/storage"
)

// When a batch of records goes to storage. Each is a transaction of its own at
// least, so small ones cost syncs, and large ones memory: about four are under
// way at once.
const (
	batchRows  = 5000
	batchBytes = 3 << 20
)

// maxMessages bounds what one run may say besides its records, so that a guest
// cannot fill the store with events.
const maxMessages = 200_000

// maxInteractions bounds how often one run may ask.
const maxInteractions = 100

// collection is one guest's side of a run: it implements plugin.Host. Every
// byte passes the gate before anything else sees it (Invariant 3). The engine
// never calls it concurrently; mu guards what the progress display reads.
type collection struct {
	deps     *Deps
	manifest *abi.Manifest
	scope    abi.Scope
	gate     *boundary.Gate
	writer   *storage.RunWriter
	ledger   *ledger
	start    []byte
	runID    string
	sha256   string
	mayAsk   bool            // START grants interactive
	ctx      context.Context // ends with the run; storage calls outlive it
	stop     func(error)     // ends the run: the guest is asked to stop, then killed

	filling sync.Mutex // guards batch: an open one goes to storage by time too
	batch   *storage.Batch
	moving  sync.Mutex                  // held while moves is called
	moves   func(context.Context) error // keeps the address that the owner accepted; nil: it is the one of before, or kept

	emitted  int64
	messages int64
	kept     int64 // see keep
	queued   int   // see pace
	started  bool
	done     *abi.Done
	doneSeen chan struct{} // closed when DONE has arrived

	at        place      // how far it is
	planned   abi.Reason // of a planned stop between two units; "": none
	staged    map[string]*stagedCursor
	committed map[string]bool // by a slice
	served    servedGaps      // the gaps that this run was given
	attempted map[gapOf]bool  // gaps attempted and without an outcome
	known     knownGaps
	followed  []map[storage.KeyHash]int // by stream: rejected records, by their known gap
	gaps      []Gap                     // the first of them
	gapsFound int64                     // all of them
	backlogs  map[gapOf]bool            // counted among them
	asking    atomic.Bool
	asks      sync.WaitGroup
	asked     int

	sending     Sending // nil: the run has no network
	senders     chan func()
	replying    sync.Mutex // held while an answer is handed over
	secrets     Secrets    // nil: there are none
	force       bool
	pressedGaps int // gaps of this run that the provider's pressure left
	// pressedUntil is the latest moment that such a gap waits for; zero: none named.
	pressedUntil time.Time
	lastPaced    *pacedCursor
	// written is what the ledger of destinations has of this run, by host.
	written map[string]storage.Destination

	mu        sync.Mutex // guards what follows
	violation error
	storeErr  error
	rejected  []int64
	progress  abi.Progress
	lastNote  time.Time
	waiting   SendingWait
	ratedAt   time.Time
	changes   int // see worthKeeping
}

type stagedCursor struct {
	cursor []byte
	slice  string
	whole  bool // the slice is complete: commit as soon as it may
}

// fail keeps the first violation and hands it to the engine, which ends the
// guest. An error that came from the store is no violation.
func (c *collection) fail(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.violation == nil && c.storeErr == nil {
		c.violation = err
	}
	return err
}

// stored keeps the first storage error: the run cannot go on without it.
func (c *collection) stored(err error) error {
	if err == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.storeErr == nil {
		c.storeErr = err
	}
	return err
}

// ended returns what ended the run from the host's side, if anything did.
func (c *collection) ended() (violation, storeErr error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.violation, c.storeErr
}

// ready checks what must hold before any message counts.
func (c *collection) ready(what string) error {
	violation, storeErr := c.ended()
	switch {
	case violation != nil:
		return violation
	case storeErr != nil:
		return storeErr
	case c.done != nil:
		return c.fail(abi.NewError(abi.CodeAfterDone, what+" after DONE", "DONE is the last message of a run"))
	case c.asking.Load() && c.ctx.Err() == nil: // the run's end is the question's too
		return c.fail(abi.NewError(abi.CodeInteractionPending, what+" while an INTERACTION is unanswered",
			"wait for the answer before anything else"))
	case !c.started:
		return c.fail(abi.NewError(abi.CodeCallOutOfPhase, what+" before START was read",
			"submit the start operation first"))
	}
	return nil
}

// Emit takes one or more RECORD lines.
func (c *collection) Emit(payload []byte) error {
	if err := c.ready("RECORD"); err != nil {
		return err
	}
	c.filling.Lock() // once for all of them: records come by the million
	defer c.filling.Unlock()
	if err := c.gate.Records(payload, c.record); err != nil {
		return c.fail(err)
	}
	return nil
}

// record takes one record, while c.filling is held.
func (c *collection) record(rec *boundary.Record) error {
	c.emitted++
	stream := c.scope.Streams[rec.Stream].Name
	c.at.reach(stream, nil)
	if c.ledger.laneClosed(stream) {
		return abi.NewError(abi.CodeCoverageInvalid, "a record of stream "+stream+" after its DETAIL_COVERAGE",
			"emit DETAIL_COVERAGE after the lane's last record")
	}
	if rec.Rejected != nil {
		return c.reject(rec, stream)
	}
	if c.ledger.accepted[stream] != nil {
		if err := c.keep(len(rec.Key)); err != nil {
			return err
		}
	}
	c.ledger.arrived(stream, rec.Key, false)
	c.served.arrived(stream, rec.Key, goodArrival)
	c.undoRejection(rec)
	at := rec.EmittedAt
	if len(at) == 0 { // RT-07.1 lets a deletion come without
		at = c.deps.Now().UTC().AppendFormat(nil, time.RFC3339Nano)
	}
	c.batch.Add(rec.Stream, rec.Key, rec.Data, at, rec.Delete)
	if c.deps.Accepted != nil {
		c.deps.Accepted(stream, rec.Key, rec.Data, rec.Delete)
	}
	return c.flushFull()
}

// flushFull flushes a batch that is full, while c.filling is held.
func (c *collection) flushFull() error {
	if c.batch.Len() >= batchRows || c.batch.Bytes() >= batchBytes {
		return c.flushFilled()
	}
	return nil
}

// flush hands the batch to the writer, which goes on while the guest does.
func (c *collection) flush() error {
	c.filling.Lock()
	defer c.filling.Unlock()
	return c.flushFilled()
}

// flushFilled is flush while c.filling is held.
func (c *collection) flushFilled() error {
	if c.batch.Len() == 0 {
		return nil
	}
	if err := c.arrive(); err != nil {
		return err
	}
	full := c.batch
	c.batch = c.writer.NewBatch()
	return c.stored(c.writer.Write(context.WithoutCancel(c.ctx), full))
}

// Message takes one message that is not a record.
func (c *collection) Message(call string, payload []byte) error {
	if err := c.ready(call); err != nil {
		return err
	}
	if c.messages++; c.messages > maxMessages {
		return c.fail(abi.NewError(abi.CodeTooManyMessages,
			fmt.Sprintf("more than %d messages besides records", maxMessages), "report in fewer, larger messages"))
	}
	var err error
	switch call {
	case "state":
		err = c.onState(payload)
	case "gap":
		err = c.onGap(payload)
	case "coverage":
		err = c.onCoverage(payload)
	case "skip":
		err = c.onSkip(payload)
	case "progress":
		err = c.onProgress(payload)
	case "done":
		err = c.onDone(payload)
	default:
		err = abi.NewError(abi.CodeMessageType, "unknown message "+call, "see the host-call table")
	}
	if err != nil {
		return c.fail(err)
	}
	return nil
}

// Log passes the guest's own words to the debug log.
func (c *collection) Log(level int32, text []byte) {
	c.deps.Logger.Debug("guest", "level", level, "text", string(text))
}

func (c *collection) onDone(payload []byte) error {
	done, err := c.gate.Done(payload)
	if err != nil {
		return err
	}
	if err := c.flush(); err != nil {
		return err
	}
	if done.RecordsEmitted != c.emitted {
		return abi.NewError(abi.CodeCountMismatch,
			fmt.Sprintf("DONE counts %d records, but %d arrived", done.RecordsEmitted, c.emitted),
			"count every RECORD that was emitted, tombstones included")
	}
	if done.Status == StatusSucceeded {
		if err := c.arrive(); err != nil {
			return err
		}
	}
	c.done = done
	close(c.doneSeen)
	return nil
}

func (c *collection) onSkip(payload []byte) error {
	skip, err := c.gate.Skip(payload)
	if err != nil {
		return err
	}
	if skip.Reason == string(abi.ReasonStreamCollectionFailed) && c.ledger.inScope[skip.Stream] {
		c.ledger.failed[skip.Stream] = true
	}
	gap := skipGap(skip).bounded()
	c.known.add(gap)
	return c.event("run.stream_skipped", skip.Stream, gap)
}

func (c *collection) onProgress(payload []byte) error {
	p, err := c.gate.Progress(payload)
	if err != nil {
		return err
	}
	p.Message, p.Unit = clip(p.Message, maxErrorMessage), clip(p.Unit, maxGapText)
	if len(p.CollectionRate)+len(p.ProviderBudget) > maxGapDiagnostics {
		p.CollectionRate, p.ProviderBudget = nil, nil
	}
	now := c.deps.Now()
	c.mu.Lock()
	c.progress = *p
	note := now.Sub(c.lastNote) >= 5*time.Second
	if note {
		c.lastNote = now
	}
	c.mu.Unlock()
	if !note {
		return nil
	}
	return c.event("run.progress_reported", p.Stream, p)
}

// event queues one event behind everything the run has written so far.
func (c *collection) event(kind, stream string, data any) error {
	raw, err := json.Marshal(data)
	if err != nil {
		return err
	}
	return c.stored(c.writer.Event(context.WithoutCancel(c.ctx), storage.Event{Type: kind, Stream: stream, Data: raw}))
}
