package storage

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/outbox"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/blank"
)

const modelLease = 10 * time.Second

// outboxMachine runs the store and the model side by side.
type outboxMachine struct {
	t     *testing.T
	rt    *rapid.T
	path  string
	clock *clock
	s     *Outbox
	m     *outboxModel
	w     *RunWriter
	runs  int
	held  []heldItem // in hand, also past their lease and their process
}

type heldItem struct {
	item OutboxItem
	row  *modelRow
}

func (x *outboxMachine) ok(err error) {
	if err != nil {
		x.rt.Fatal(err)
	}
}

func (x *outboxMachine) reopen() {
	if x.s != nil {
		x.ok(x.s.Close())
	}
	var err error
	blank.Store(x.t, x.path, migrated)
	x.s, err = OpenOutbox(x.t.Context(), Options{Path: x.path, Now: x.clock.Now, unsynced: true}, Lane{SourceInstanceID: "src", ConnectorID: "demo"})
	x.ok(err)
	x.w = nil
}

func (x *outboxMachine) run() *RunWriter {
	if x.w != nil {
		return x.w
	}
	c, err := x.s.EnsureConnection(x.t.Context(), "c", "demo")
	x.ok(err)
	x.runs++
	x.w, err = x.s.BeginRun(x.t.Context(), NewRun{
		RunID: fmt.Sprint("run", x.runs), ConnectionID: c.ID, Bookmark: BookmarkIncremental, Streams: []string{"a", "b"}, LeaseTTL: time.Hour,
		HolderAlive: func(string) bool { return false },
	})
	x.ok(err)
	if got := string(x.w.State()["a"]); got != x.m.confirmed {
		x.rt.Fatalf("a run begins from %q, confirmed is %q", got, x.m.confirmed)
	}
	return x.w
}

func (x *outboxMachine) queue(r *modelRow) {
	r.status, r.run = OutboxReady, x.runs
	x.m.rows = append(x.m.rows, r)
}

func (x *outboxMachine) step() {
	ctx, rt := x.t.Context(), x.rt
	switch rapid.IntRange(0, 9).Draw(rt, "step") {
	case 0, 1:
		stream := rapid.IntRange(0, 1).Draw(rt, "stream")
		b := x.run().NewBatch()
		b.Add(stream, []byte("k"), fmt.Appendf(nil, "%d", len(x.m.rows)), []byte("t"), false)
		x.ok(x.w.Write(ctx, b))
		x.queue(&modelRow{kind: KindRecordBatch, stream: []string{"a", "b"}[stream]})
	case 2:
		cursor := fmt.Sprint(len(x.m.rows))
		x.ok(x.run().CommitSlice(ctx, "a", []byte(cursor), "s"))
		x.queue(&modelRow{kind: KindCheckpoint, cursor: cursor})
	case 3:
		cursor := fmt.Sprint(len(x.m.rows))
		x.ok(x.run().Finish(ctx, Outcome{Status: "succeeded", Checkpoints: []StateCommit{{Stream: "a", Cursor: []byte(cursor)}}}))
		x.queue(&modelRow{kind: KindRunCommit, cursor: cursor})
		x.w = nil
	case 4:
		if rapid.Bool().Draw(rt, "killed") && x.w != nil {
			x.ok(x.w.Flush(ctx))
			x.w.Abandon()
		} else if x.w != nil {
			x.ok(x.w.Flush(ctx))
		}
		x.reopen()
	case 5, 6:
		x.claim()
	case 7, 8:
		x.answer()
	default:
		x.clock.forward(rapid.SampledFrom([]time.Duration{time.Second, 5 * time.Second, modelLease}).Draw(rt, "later"))
		x.recover()
	}
}

func (x *outboxMachine) claim() {
	if x.w != nil {
		x.ok(x.w.Flush(x.t.Context()))
	}
	limit := rapid.IntRange(1, 3).Draw(x.rt, "limit")
	holder := rapid.SampledFrom([]string{"h1", "h2"}).Draw(x.rt, "holder")
	items, err := x.s.Claim(x.t.Context(), ClaimRequest{Holder: holder, Lease: modelLease, Limit: limit})
	x.ok(err)
	rows := x.m.claim(x.clock.Now(), holder, limit)
	if len(items) != len(rows) {
		x.rt.Fatalf("claimed %v, want %d rows", kinds(items), len(rows))
	}
	for i, item := range items {
		if item.Kind != rows[i].kind || item.Epoch != rows[i].epoch || int(item.Seq) != slices.Index(x.m.rows, rows[i])+1 {
			x.rt.Fatalf("claimed %+v, want %+v", item, rows[i])
		}
		x.held = append(x.held, heldItem{item, rows[i]})
	}
}

func (x *outboxMachine) answer() {
	if len(x.held) == 0 {
		return
	}
	n := rapid.IntRange(0, len(x.held)-1).Draw(x.rt, "held")
	h := x.held[n]
	r, now, ctx := h.row, x.clock.Now(), x.t.Context()
	current := r.status == OutboxLeased && r.holder == h.item.Holder && r.epoch == h.item.Epoch && r.until.After(now)
	var err error
	var then modelRow
	switch rapid.IntRange(0, 4).Draw(x.rt, "answer") {
	case 0, 1:
		err, then = x.s.Acknowledge(ctx, &h.item), modelRow{status: OutboxSucceeded}
		if current && commits(r.kind) {
			x.m.confirmed = r.cursor
		}
	case 2:
		next := now.Add(rapid.SampledFrom([]time.Duration{0, 3 * time.Second}).Draw(x.rt, "back-off"))
		err, then = x.s.Retry(ctx, &h.item, next, "timeout", ""), modelRow{status: OutboxReady, next: next, attempts: 1}
	case 3:
		err, then = x.s.DeadLetter(ctx, &h.item, "http_400", ""), modelRow{status: OutboxDeadLetter, attempts: 1}
	default:
		err = x.s.Renew(ctx, &h.item, modelLease)
		if current {
			r.until = now.Add(modelLease)
		}
	}
	if (err == nil) != current || err != nil && abi.CodeOf(err) != CodeLeaseNotCurrent {
		x.rt.Fatalf("an answer by %+v, of %+v: %v", h.item, r, err)
	}
	if current && then.status != "" {
		r.status, r.next, r.attempts = then.status, then.next, r.attempts+then.attempts
	}
	x.held[n].item = h.item
}

func (x *outboxMachine) recover() {
	n, err := x.s.RecoverLeases(x.t.Context(), nil)
	x.ok(err)
	for _, r := range x.m.rows {
		if r.status == OutboxLeased && !r.until.After(x.clock.Now()) {
			r.status = OutboxReady
			n--
		}
	}
	if n != 0 {
		x.rt.Fatal("leases were recovered that were not over, or left that were")
	}
	if !rapid.Bool().Draw(x.rt, "requeue") {
		return
	}
	_, err = x.s.RequeueDeadLetters(x.t.Context(), false)
	x.ok(err)
	for _, r := range x.m.rows {
		if r.status == OutboxDeadLetter {
			r.status, r.attempts = OutboxReady, 0
		}
		if r.status == OutboxReady {
			r.next = time.Time{}
		}
	}
}

func (x *outboxMachine) text() string {
	var rows []outbox.Row
	x.ok(x.s.db.Read.NewSelect().Model(&rows).Order("seq").Scan(x.t.Context()))
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "%d %s %s %d %d\n", r.Seq, r.Kind, r.Status, r.LeaseEpoch, r.AttemptCount)
	}
	c, err := x.s.OutboxCounts(x.t.Context())
	x.ok(err)
	state, _, err := x.s.ConfirmedState(x.t.Context())
	x.ok(err)
	fmt.Fprintf(&b, "%d pending, %d retrying, %d stale, confirmed %s", c.Pending, c.Retrying, c.StaleLeases, state["a"])
	return b.String()
}
