package storage

import "testing"

// A dead process's items are free at once, and a live one's are not.
func TestLeasesOfADeadProcessAreFreedAtOnce(t *testing.T) {
	t.Parallel()
	x := oneBatch(t)
	x.claim("process/1", 1)
	n, err := x.s.RecoverLeases(t.Context(), func(string) bool { return true })
	x.ok(err)
	x.same(n, 0)
	n, err = x.s.RecoverLeases(t.Context(), func(holder string) bool { return holder != "process/1" })
	x.ok(err)
	x.same(n, 1)
	x.same(len(x.claim("process/2", 1)), 1)
}

// A dropped row is neither delivered nor given up: nothing was confirmed.
func TestADroppedRowIsNotConfirmed(t *testing.T) {
	t.Parallel()
	x := oneBatch(t)
	held := x.claim("a", 1)
	x.ok(x.s.Discard(t.Context(), &held[0]))
	c, err := x.s.OutboxCounts(t.Context())
	x.ok(err)
	if c.Succeeded != 0 || c.DeadLetter != 0 || c.Leased != 0 || !c.LastAckAt.IsZero() {
		t.Errorf("%d delivered, %d given up, %d leased, acknowledged %v; want none of them", c.Succeeded, c.DeadLetter, c.Leased, c.LastAckAt)
	}
	if err := x.s.Discard(t.Context(), &held[0]); err == nil {
		t.Error("a row that is gone was dropped again")
	}
}
