package storage

import (
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/outbox"
)

// oneBatch makes a lane with one queued batch.
func oneBatch(t *testing.T) *laneFixture {
	t.Helper()
	x := newLane(t)
	w := x.begin("c")
	x.put(w, 0, `k1={"n":1}`)
	x.ok(w.Flush(t.Context()))
	return x
}

// LC-06.1, LC-03.2: who held a row and died does not block it: past its deadline
// it is told apart, made claimable, and delivered.
func TestAnExpiredLeaseIsRecovered(t *testing.T) {
	t.Parallel()
	x := oneBatch(t)
	a := x.claim("a", 1)
	x.same(len(x.claim("b", 1)), 0) // leased
	x.clock.forward(299 * time.Second)
	n, err := x.s.RecoverLeases(t.Context(), nil)
	x.ok(err)
	x.same(n, 0) // not yet
	x.clock.forward(time.Second)
	x.same(x.state(), "0 0 1 1 0 0 stale_lease")
	n, err = x.s.RecoverLeases(t.Context(), nil)
	x.ok(err)
	x.same(n, 1)
	x.same(x.state(), "1 0 0 0 0 0 draining")
	b := x.claim("b", 1)
	x.same([]any{a[0].Epoch, b[0].Epoch, b[0].Attempts}, []any{1, 2, 0})
	x.ok(x.s.Acknowledge(t.Context(), &b[0]))
}

// LC-06.2: who lost a row, to time or to a newer holder, changes nothing of it.
func TestAStaleHolderIsFenced(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for name, lose := range map[string]func(x *laneFixture){
		"time alone": func(x *laneFixture) { x.clock.forward(300 * time.Second) },
		"recovered": func(x *laneFixture) {
			x.clock.forward(301 * time.Second)
			_, err := x.s.RecoverLeases(ctx, nil)
			x.ok(err)
		},
		"a newer holder": func(x *laneFixture) {
			x.clock.forward(301 * time.Second)
			_, err := x.s.RecoverLeases(ctx, nil)
			x.ok(err)
			x.claim("b", 1)
		},
		"the same holder, a newer epoch": func(x *laneFixture) {
			x.clock.forward(301 * time.Second)
			_, err := x.s.RecoverLeases(ctx, nil)
			x.ok(err)
			x.claim("a", 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := oneBatch(t)
			a := x.claim("a", 1)[0]
			lose(x)
			before := x.state()
			x.code(x.s.Acknowledge(ctx, &a), CodeLeaseNotCurrent)
			x.code(x.s.Renew(ctx, &a, time.Hour), CodeLeaseNotCurrent)
			x.code(x.s.Retry(ctx, &a, x.clock.Now(), "timeout", ""), CodeLeaseNotCurrent)
			x.code(x.s.Release(ctx, &a), CodeLeaseNotCurrent)
			x.code(x.s.DeadLetter(ctx, &a, "x", ""), CodeLeaseNotCurrent)
			x.same(x.state(), before)
		})
	}
}

// A lease is its holder's: nobody answers with the epoch alone.
func TestALeaseIsItsHolders(t *testing.T) {
	t.Parallel()
	x := oneBatch(t)
	a := x.claim("a", 1)[0]
	b := a
	b.Holder = "b"
	x.code(x.s.Acknowledge(t.Context(), &b), CodeLeaseNotCurrent)
	x.ok(x.s.Acknowledge(t.Context(), &a))
}

func TestARenewedLeaseLasts(t *testing.T) {
	t.Parallel()
	x := oneBatch(t)
	a := x.claim("a", 1)[0]
	x.clock.forward(200 * time.Second)
	x.ok(x.s.Renew(t.Context(), &a, 300*time.Second))
	x.same(a.LeaseUntil, x.clock.Now().Add(300*time.Second).UTC())
	x.clock.forward(299 * time.Second)
	x.ok(x.s.Acknowledge(t.Context(), &a))
	x.code(x.s.Acknowledge(t.Context(), &a), CodeLeaseNotCurrent)
}

// A row that was put off is not claimed before its time, nor is anything newer of the same
// stream: nothing older is ever delivered after something newer.
func TestARetryKeepsItsPlace(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	x := newLane(t)
	w := x.begin("c")
	x.put(w, 0, "k=1")
	x.put(w, 0, "k=2")
	x.put(w, 1, "m=1")
	x.ok(w.Flush(ctx))
	a := x.claim("h", 9)
	x.same(len(a), 2) // one of each stream
	x.same(strings.Contains(string(a[1].Payload), `"stream":"b"`), true)
	next := x.clock.Now().Add(30 * time.Second)
	x.ok(x.s.Retry(ctx, &a[0], next, "http_503", "busy"))
	x.ok(x.s.Acknowledge(ctx, &a[1]))
	x.same(len(x.claim("h", 9)), 0)
	x.same(x.state(), "1 1 0 0 0 1 retryable_backlog")
	c := x.counts()
	x.same([]any{c.NextAttemptAt, c.OldestRetryingAt.Equal(a[0].CreatedAt), c.LastAckAt}, []any{next.UTC(), true, x.clock.Now().UTC()})
	x.clock.forward(30 * time.Second)
	again := x.claim("h", 9)
	x.same([]any{len(again), again[0].ID == a[0].ID, again[0].Attempts}, []any{1, true, 1})
	x.ok(x.s.Release(ctx, &again[0]))
	again = x.claim("h", 9)
	x.same([]any{again[0].Attempts, again[0].Epoch}, []any{1, 3}) // giving back is no attempt
	x.ok(x.s.Acknowledge(ctx, &again[0]))
	x.same(x.deliver(), []string{KindRecordBatch})
}

func TestDeadLetters(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	x := newLane(t)
	w := x.begin("c")
	for _, k := range []string{"k=1", "k=2", "k=3"} {
		x.put(w, 0, k)
	}
	x.ok(w.Flush(ctx))
	x.ok(x.s.DeadLetter(ctx, x.one(KindRecordBatch), "http_422 "+strings.Repeat("é", 100), "refused /home/someone/x: token=abc ldt0123 record 4"))
	x.ok(x.s.DeadLetter(ctx, x.one(KindRecordBatch), "http_503", "Bearer sesame at https://host/x"))
	c := x.counts()
	x.same(x.state(), "1 0 0 0 2 0 dead_letter")
	x.same(len(c.DeadLetterClasses), 2)
	for _, class := range c.DeadLetterClasses {
		if len(class.Class) > outbox.MaxClass {
			t.Errorf("got the class %q, want one of at most %d bytes", class.Class, outbox.MaxClass)
		}
	}
	var rows []outbox.Row
	x.ok(x.s.db.Read.NewSelect().Model(&rows).Where("status = ?", OutboxDeadLetter).Order("seq").Scan(ctx))
	x.same([]string{rows[0].LastError, rows[1].LastError}, []string{"refused [...] [...] [...] record 4", "Bearer [...] at [...]"})
	u, err := x.s.Units(ctx, true)
	x.ok(err)
	x.same([]any{u[0].Status, u[0].Reason, u[0].Retryable, u[0].Attempts}, []any{UnitDead, "http_503", true, 3})

	// A dead letter lets later ones pass, and a requeue starts anew.
	x.same(x.deliver(), []string{KindRecordBatch})
	n, err := x.s.RequeueDeadLetters(ctx, true)
	x.ok(err)
	x.same(n, 1)
	x.same(x.state(), "1 0 0 0 1 1 dead_letter")
	x.same(x.one(KindRecordBatch).Attempts, 0)
	n, err = x.s.RequeueDeadLetters(ctx, false)
	x.ok(err)
	x.same(n, 1)
	x.same(x.counts().DeadLetterClasses, []device.ErrorClass{})
}

// A class stays what the sender and the host called it.
func TestClassesStayReadable(t *testing.T) {
	t.Parallel()
	for _, class := range []string{"http_422:device_records_rejected", "timeout", "shape", "http_409:device_batch_conflict"} {
		if got := OutboxWord(class); got != class {
			t.Errorf("got %q, want %q", got, class)
		}
	}
	for _, class := range []string{"", "ldt0123456789", "0123456789abcdef0123456789abcdef"} {
		if got := OutboxWord(class); got != "unknown" {
			t.Errorf("%q: got %q, want unknown", class, got)
		}
	}
}

func TestTransientClasses(t *testing.T) {
	t.Parallel()
	for class, want := range map[string]bool{
		"http_408": true, "http_429": true, "http_500": true, "http_503": true, "timeout": true, "connection_refused": true,
		device.CodeRetryable: true, "http_429:slow_down": true, "http_409:" + device.CodeRetryable: true, "http_302": true, "http_400": true, "http_413": true, "http_400:invalid_request": false, "http_422:device_records_rejected": false, "http_40": false, "unknown": false, "": false, device.CodeInternal: false,
	} {
		if got := TransientClass(class); got != want {
			t.Errorf("%q: got transient %t, want %t", class, got, want)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add("Bearer x", "http_503")
	f.Add("open /home/a/b: ldtabc \xff"+strings.Repeat("ü", 400), "")
	f.Fuzz(func(t *testing.T, message, class string) {
		m, c := outbox.CleanText(message), OutboxWord(class)
		if len(m) > outbox.MaxMessage || len(c) > outbox.MaxClass || c == "" || strings.ContainsAny(c, " /\n\"") || strings.ContainsAny(m, "/\\@=\n\x00") {
			t.Fatalf("got %q, %q, want a bounded message and class without a path", m, c)
		}
		if strings.ToValidUTF8(m, "?") != m {
			t.Fatalf("got %q, want UTF-8", m)
		}
	})
}
