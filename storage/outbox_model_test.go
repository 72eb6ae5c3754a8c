package storage

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// outboxModel is what the outbox is meant to be, in memory.
type outboxModel struct {
	rows      []*modelRow
	confirmed string
}

type modelRow struct {
	kind, stream, status string
	run                  int
	next, until          time.Time
	epoch, attempts      int64
	holder               string
	cursor               string
}

func commits(kind string) bool { return kind == KindCheckpoint || kind == KindRunCommit }

// claim is the rule of what may be given out, said as plainly as it can be.
func (m *outboxModel) claim(now time.Time, holder string, limit int) (out []*modelRow) {
	for i, r := range m.rows {
		before := m.rows[:i]
		held := r.status != OutboxReady || r.next.After(now)
		for _, b := range before {
			under := b.status == OutboxReady || b.status == OutboxLeased
			switch {
			case commits(r.kind):
				held = held || b.status != OutboxSucceeded
			case r.kind == KindRecordBatch && b.run != r.run: // its end too
				held = held || b.status != OutboxSucceeded
			case r.kind == KindRecordBatch && b.kind == r.kind && b.stream == r.stream:
				held = held || under
			}
		}
		if held || commits(r.kind) && len(out) > 0 {
			continue
		}
		if out = append(out, r); commits(r.kind) || len(out) == limit {
			break
		}
	}
	for _, r := range out {
		r.status, r.holder, r.until = OutboxLeased, holder, now.Add(modelLease)
		r.epoch++
	}
	return out
}

// text is all of the model that the store has to agree with.
func (m *outboxModel) text(now time.Time) string {
	var b strings.Builder
	for i, r := range m.rows {
		fmt.Fprintf(&b, "%d %s %s %d %d\n", i+1, r.kind, r.status, r.epoch, r.attempts)
	}
	var pending, retrying, stale int
	for _, r := range m.rows {
		switch {
		case r.status == OutboxReady && r.next.After(now):
			retrying++
		case r.status == OutboxReady:
			pending++
		case r.status == OutboxLeased && !r.until.After(now):
			stale++
		}
	}
	fmt.Fprintf(&b, "%d pending, %d retrying, %d stale, confirmed %s", pending, retrying, stale, m.confirmed)
	return b.String()
}

// TestOutboxModel compares the outbox with the model over random runs, claims,
// answers of current and of stale holders, expiries, crashes and reopenings.
// LC-04.2, LC-06.1, LC-06.2: above all, no cursor is ever confirmed while a row
// before its commit is not acknowledged.
func TestOutboxModel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		x := &outboxMachine{t: t, rt: rt, path: filepath.Join(dir, fmt.Sprint(n)), clock: newClock(), m: &outboxModel{}}
		x.reopen()
		defer func() { _ = x.s.Close() }()
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			x.step()
		}
		if x.w != nil {
			x.ok(x.w.Flush(t.Context()))
		}
		if got, want := x.text(), x.m.text(x.clock.Now()); got != want {
			rt.Fatalf("the outbox is\n%s\nwant\n%s", got, want)
		}
		if r, err := x.s.Check(t.Context()); err != nil || len(r.Problems) > 0 {
			rt.Fatal(r, err)
		}
		x.drain()
	})
}

// drain delivers the rest: nothing stays behind for ever (LC-03.2).
func (x *outboxMachine) drain() {
	ctx := x.t.Context()
	x.clock.forward(time.Hour)
	x.recover()
	_, err := x.s.RequeueDeadLetters(ctx, false)
	x.ok(err)
	for {
		items, err := x.s.Claim(ctx, ClaimRequest{Holder: "last", Lease: modelLease, Limit: 1})
		x.ok(err)
		if len(items) == 0 {
			break
		}
		x.ok(x.s.Acknowledge(ctx, &items[0]))
	}
	if c, err := x.s.OutboxCounts(ctx); err != nil || c.Succeeded != c.Total {
		x.rt.Fatal(c, err)
	}
}
