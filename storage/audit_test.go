package storage

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/storage/access"
)

// OC-02.1: events are read newest first, by operation, subject and page, and are kept
// for a bounded time.
func TestAuditEvents(t *testing.T) {
	t.Parallel()
	ctx, now := t.Context(), time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := mustOpen(t, Options{Path: t.TempDir() + "/pdpp.sqlite", Now: func() time.Time { return now }, unsynced: true})
	x := &exercise{T: t, s: s}
	const keep = 48 * time.Hour
	for _, e := range []AuditEvent{
		{Actor: "command_line", Operation: "connections.add", Subject: "a", Outcome: "done"},
		{Actor: "session", ActorID: "s1", Address: "192.0.2.1", Operation: "connections.set", Subject: "a", Outcome: "usage.invalid"},
		{Actor: "command_line", Operation: "connections.add", Subject: "b", Outcome: "done"},
	} {
		x.ok(s.RecordAudit(ctx, e, keep))
		now = now.Add(24 * time.Hour)
	}
	read := func(q AuditQuery) (subjects string) {
		t.Helper()
		events, err := s.AuditEvents(ctx, q)
		x.ok(err)
		for _, e := range events {
			subjects += e.Operation + " " + e.Subject + ";"
		}
		return subjects
	}
	x.same(read(AuditQuery{}), "connections.add b;connections.set a;connections.add a;")
	x.same(read(AuditQuery{Operation: "connections.add"}), "connections.add b;connections.add a;")
	x.same(read(AuditQuery{Subject: "a", Limit: 1}), "connections.set a;")
	x.same(read(AuditQuery{About: "b"}), "connections.add b;")
	x.same(read(AuditQuery{About: "connections"}), "")
	for _, tt := range []struct {
		q    AuditQuery
		want string
	}{
		{AuditQuery{Actor: "session"}, "connections.set a;"},
		{AuditQuery{Actor: "command_line", ActorID: "s1"}, ""},
		{AuditQuery{ActorID: "s1"}, "connections.set a;"},
		{AuditQuery{Outcome: access.AuditRefused}, "connections.set a;"},
		{AuditQuery{Outcome: access.AuditDone}, "connections.add b;connections.add a;"},
		{AuditQuery{Outcome: "usage.invalid"}, "connections.set a;"},
		{AuditQuery{Since: now.Add(-48 * time.Hour)}, "connections.add b;connections.set a;"},
		{AuditQuery{Until: now.Add(-48 * time.Hour)}, "connections.add a;"},
	} {
		x.same(read(tt.q), tt.want)
	}
	events, err := s.AuditEvents(ctx, AuditQuery{Limit: 2})
	x.ok(err)
	x.same(read(AuditQuery{Before: events[1].Seq}), "connections.add a;")
	e := events[1]
	x.same([]any{e.At, e.Actor, e.ActorID, e.Address, e.Outcome}, []any{now.Add(-48 * time.Hour), "session", "s1", "192.0.2.1", "usage.invalid"})
	fill := AuditEvent{Actor: "command_line", Operation: "connections.set", Subject: "c", Outcome: "done"}
	for range access.LeastAuditEvents - 3 {
		x.ok(s.RecordAudit(ctx, fill, keep))
	}
	x.same(read(AuditQuery{Operation: "connections.add"}), "connections.add b;connections.add a;") // a is old, and among the newest that stay
	now = now.AddDate(10, 0, 0)
	x.ok(s.RecordAudit(ctx, fill, keep))
	now = now.AddDate(-10, 0, 0) // the clock was ahead for a moment
	x.same(read(AuditQuery{Operation: "connections.add"}), "connections.add b;")
}
