package run

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/storage"
)

// The engine's own time limit gives the same reason and code as --timeout.
func TestEngineTimeLimitIsNamed(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{isolation: "process", limits: func(l *plugin.Limits) { l.Run, l.Grace = 300*time.Millisecond, 100*time.Millisecond }})
	res, err := h.play("loop")
	expectFailure(t, res, err, abi.ReasonRunTimedOut, abi.CodeLimitTime)
}

// An outcome of a gap that was never served is the guest's violation, and no
// fault of the store that would be worth a retry.
func TestOutcomeOfAnUnknownGap(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	res, err := h.play("gap " + `{"type":"DETAIL_GAP_RECOVERED","gap_id":"gap_none","stream":"messages"}` + done(0))
	expectFailure(t, res, err, abi.ReasonProtocolViolation, abi.CodeGapInvalid)
	if res.Error.Retryable {
		t.Fatal("got a violation that is worth a retry, want a final one")
	}
}

// A guest's texts are cut before they reach the result or an event, so that they can
// neither fill the store nor keep the outcome from being written.
func TestGuestTextsAreCut(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	gap := func(n string) string {
		return "\npad 900000 gap " + `{"type":"DETAIL_GAP","stream":"messages","parent_stream":"chats","record_key":"` + n +
			`","reason":"rate_limited","retryable":true,"status":"pending","detail_locator":{},"last_error":{"class":"@"}}`
	}
	res := h.mustPlay(gap("a") + "\npad 900000 skip " + `{"type":"SKIP_RESULT","stream":"notes","reason":"@","diagnostics":{}}` +
		"\npad 900000 skip " + `{"type":"SKIP_RESULT","stream":"notes","reason":"r","diagnostics":{"d":"@"}}` +
		"\npad 900000 progress " + `{"type":"PROGRESS","message":"@"}` + done(0))
	if res.Status != StatusSucceeded || len(res.Gaps) != 1 || len(res.Gaps[0].Class) > maxGapText {
		t.Fatalf("got %s with gaps %.300v, want succeeded and one gap of a short class", res.Status, res.Gaps)
	}
	events, err := h.store.Events(t.Context(), res.RunID, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if len(e.Data) > 2*maxGapDiagnostics {
			t.Errorf("got event %s of %d bytes, want %d at most", e.Type, len(e.Data), 2*maxGapDiagnostics)
		}
	}
}

// A guest may not ask without end: each question costs the owner's patience and
// two events.
func TestInteractionsAreBounded(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{asker: answers(func(context.Context, abi.Interaction) (abi.InteractionResponse, error) {
		return abi.InteractionResponse{Status: abi.ResponseCancelled}, nil
	})})
	res, err := h.play("repeat 1000 " + ask(abi.InteractionOTP) + done(0))
	expectFailure(t, res, err, abi.ReasonProtocolViolation, abi.CodeTooManyMessages)
}

// A cancellation ends an open question, so messages that the guest sends while it winds
// up are no violation.
func TestCancelledWhileAsking(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	h := newHost(t, setup{isolation: "process", asker: answers(func(ctx context.Context, _ abi.Interaction) (abi.InteractionResponse, error) {
		close(asked)
		<-ctx.Done()
		time.Sleep(300 * time.Millisecond) // a terminal that is slow to let go
		return abi.InteractionResponse{Status: abi.ResponseCancelled}, nil
	})})
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { <-asked; cancel(ErrInterrupted) }()
	res, err := h.playCtx(ctx, "pending"+strings.TrimPrefix(ask(abi.InteractionOTP), "submit")+"\nwait 20000\ndone "+
		`{"type":"DONE","status":"cancelled","records_emitted":0}`)
	if err != nil || res.Status != StatusCancelled || res.Reason != string(abi.ReasonOwnerCancelled) {
		t.Fatalf("got %v, %+v; want cancelled by the owner", err, res)
	}
}

// A slice whose commit did not become durable is not reported as committed.
func TestLostSliceIsNotClaimed(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{isolation: "process"})
	var taken atomic.Bool
	other, err := storage.Open(t.Context(), storage.Options{Path: filepath.Join(h.dir, "pdpp.sqlite"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	h.deps.Observe = func(Update) {
		if taken.Swap(true) {
			return
		}
		c, err := other.Connection(context.Background(), "scripted")
		if err != nil {
			t.Error(err)
			return
		}
		if _, err := other.BeginRun(context.Background(), storage.NewRun{
			RunID: "thief", ConnectionID: c.ID, Connector: "scripted", Version: "1", ModuleSHA256: "x", Mode: "incremental",
			Bookmark: storage.BookmarkIncremental, Holder: "thief", Streams: []string{"notes"}, LeaseTTL: time.Minute,
			HolderAlive: func(string) bool { return false },
		}); err != nil {
			t.Error(err)
		}
	}
	h.runner = New(h.deps)
	res, err := h.play("sleep 1500\nrecords notes 0 1" + slice("notes", `{"p":1}`) + done(1))
	if err == nil && (res.Status != StatusFailed || len(res.Checkpoints.Committed) != 0) {
		t.Fatalf("got %s with checkpoints %+v, want failed and none committed", res.Status, res.Checkpoints)
	}
	if !taken.Load() || h.cursor("notes") != "" {
		t.Fatalf("got cursor %q (lease taken: %v), want the fenced run to move none", h.cursor("notes"), taken.Load())
	}
}

// RT-09.2: a guest that does not return within a second of its DONE is stopped, and a
// guest that returned in time is not.
func TestBoundReturn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancelCause(t.Context())
		doneSeen := make(chan struct{})
		began := time.Now()
		close(doneSeen)
		boundReturn(ctx, doneSeen, stop)
		if took := time.Since(began); took != returnWithin || !errors.Is(context.Cause(ctx), errReturn) {
			t.Fatalf("got %v after %v, want %v after %v", context.Cause(ctx), took, errReturn, returnWithin)
		}
		ctx, stop = context.WithCancelCause(t.Context())
		time.AfterFunc(returnWithin/2, func() { stop(nil) })
		boundReturn(ctx, doneSeen, stop)
		if errors.Is(context.Cause(ctx), errReturn) {
			t.Fatal("got a guest stopped that had returned, want it left alone")
		}
	})
}

// A run that leaves records out is served no gaps: the guest would fetch a detail, hold
// it back by the scope, and call the gap recovered.
func TestNarrowedRunIsServedNoGaps(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	h.mustPlay("gap " + `{"type":"DETAIL_GAP","stream":"messages","parent_stream":"chats","record_key":"b","reason":"rate_limited","retryable":true,"status":"pending","detail_locator":{"id":"b"}}` + done(0))
	before := h.gap("b")
	h.succeed("when \"record_key\" trap\nsubmit 4\nexpect \"detail_gaps\":[]"+done(0), func(r *Request) { r.Resources = map[string][]string{"messages": {"x"}} })
	if after := h.gap("b"); after.LeaseRunID != "" || after.LastRunID != before.LastRunID {
		t.Errorf("the gap was leased to %q, want to nobody", after.LeaseRunID)
	}
}

// A page of served gaps stays small enough for any worker.
func TestGapLocatorIsBounded(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	res, err := h.play("pad 1000000 gap " + `{"type":"DETAIL_GAP","stream":"messages","parent_stream":"chats","record_key":"b","reason":"rate_limited","retryable":true,"status":"pending","detail_locator":{"id":"@"}}` + done(0))
	expectFailure(t, res, err, abi.ReasonProtocolViolation, abi.CodeGapInvalid)
}

// A module that describes itself in another way than when it was accepted is not run,
// although its hash is the same.
func TestManifestIsPinned(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	h.mustPlay(done(0))
	c, err := h.store.Connection(t.Context(), "scripted")
	if err != nil {
		t.Fatal(err)
	}
	if err := h.store.PinPlugin(t.Context(), c.ID, c.PinnedSHA256, append([]byte(" "), c.PinnedManifest...)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.play(done(0)); abi.CodeOf(err) != abi.CodePluginChanged {
		t.Fatalf("got %v, want %s", err, abi.CodePluginChanged)
	}
}
