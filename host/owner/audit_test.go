package owner_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // to damage a store

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/credentials"
	"github.com/pdpp-host/pdpp-host/host/owner/doctor"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/storage"
)

// audited returns the events that there are, the oldest first, as "operation subject
// outcome".
func audited(t *testing.T, o *owner.Owner) (said []string) {
	t.Helper()
	page, err := o.AuditEvents(t.Context(), owner.AuditQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range slices.Backward(page.Events) {
		said = append(said, e.Operation+" "+e.Subject+" "+e.Outcome)
		if e.Actor != string(owner.CommandLine) || e.At.IsZero() {
			t.Errorf("%s: by %q at %s, want by %q and a time", e.Operation, e.Actor, e.At, owner.CommandLine)
		}
	}
	return said
}

// OC-02: each change is audited once, a refused one with its code, and a question or a
// change of nothing is not; Invariant 11. A secret that is stored, or typed in a field's
// place, is in no event: Invariant 5.
func TestEachChangeIsAuditedOnce(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	o, store := owner.NewOwner(t)
	const secret = "hunter2-hunter2-HUNTER2"
	typed := func(string, string) ([]byte, error) { return []byte(secret), nil }
	hourly, byHand := schedule.Automatic, schedule.ByHand
	steps := []struct {
		name string
		do   func() error
		code abi.Code
		want string // the event; "": none
	}{
		{"list", func() error { _, _, err := o.Connections(ctx, "", "", 9); return err }, "", ""},
		{"show", func() error { _, err := o.Connection(ctx, "mine"); return err }, "", ""},
		{"an unknown connection", func() error { _, err := o.Connection(ctx, "yours"); return err }, abi.CodeConnectionUnknown, ""},
		{"a credential", func() error { _, err := credentials.Set(ctx, o, "mine", "token", typed); return err }, "", "credentials.set mine token done"},
		{"a secret as a field", func() error { _, err := credentials.Set(ctx, o, "mine", secret, typed); return err }, abi.CodeUsage, "credentials.set mine " + string(abi.CodeUsage)},
		{"a secret to remove", func() error { _, err := credentials.Remove(ctx, o, "mine", secret); return err }, "connection.credential_unknown", "credentials.remove mine connection.credential_unknown"},
		{"a credential removed", func() error { _, err := credentials.Remove(ctx, o, "mine", "token"); return err }, "", "credentials.remove mine token done"},
		{"a schedule", func() error {
			_, err := o.SetSchedule(ctx, "mine", owner.ScheduleChange{Mode: &byHand})
			return err
		}, "", "connections.schedule mine done"},
		{"the same schedule", func() error {
			_, err := o.SetSchedule(ctx, "mine", owner.ScheduleChange{Mode: &byHand})
			return err
		}, "", ""},
		{"a schedule that nobody can mean", func() error {
			_, err := o.SetSchedule(ctx, "mine", owner.ScheduleChange{Mode: &hourly, Every: time.Millisecond})
			return err
		}, abi.CodeUsage, "connections.schedule mine " + string(abi.CodeUsage)},
		{"a schedule that its connector forbids", func() error {
			_, err := o.SetSchedule(ctx, "mine", owner.ScheduleChange{Mode: &hourly, Every: time.Hour})
			return err
		}, abi.CodeConnectionInvalid, "connections.schedule mine " + string(abi.CodeConnectionInvalid)},
		{"a secret as an option", func() error {
			_, err := o.ChangeConnection(ctx, owner.ConnectionChange{Connection: "mine", Options: map[string]string{"token": secret}})
			return err
		}, abi.CodeUsage, "connections.set mine " + string(abi.CodeUsage)},
		{"a repair", func() error { return doctor.RepairEvidence(ctx, o, "mine") }, "", "evidence.repair mine done"},
		{"a server that is gone", func() error { return doctor.ForgetServer(ctx, o) }, "", "serve.forget serve done"},
		{"a removal that is taken back", func() error {
			_, err := o.RemoveConnection(ctx, "mine", func(owner.Removed) error { return errors.New("no") })
			return err
		}, abi.CodeInternal, ""},
		{"a removal", func() error {
			_, err := o.RemoveConnection(ctx, "mine", func(owner.Removed) error { return nil })
			return err
		}, "", "connections.remove mine done"},
	}
	var want []string
	for _, s := range steps {
		if err := s.do(); (err == nil) != (s.code == "") || err != nil && abi.CodeOf(err) != s.code {
			t.Errorf("%s: %v, want code %q", s.name, err, s.code)
		}
		if s.want != "" {
			want = append(want, s.want)
		}
		if got := audited(t, o); !slices.Equal(got, want) {
			t.Fatalf("after %s the events are\n%s\nwant\n%s", s.name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if page, err := o.AuditEvents(ctx, owner.AuditQuery{Connection: "mine", Limit: 2}); err != nil || len(page.Events) != 2 || page.Next != page.Events[1].Seq ||
		page.Events[0].Operation != "connections.remove" {
		t.Errorf("of mine the last two events are %+v, %v, want the removal first and a next page", page, err)
	}
	events, err := store.AuditEvents(ctx, storage.AuditQuery{})
	if text := fmt.Sprintf("%+v", events); err != nil || strings.Contains(text, "hunter2") {
		t.Errorf("the events hold a secret: %s, %v", text, err)
	}
}

// An operation of several writes, a later one of which fails, has one event with the
// error's code.
func TestAHalfMadeChangeIsNotAuditedAsDone(t *testing.T) {
	t.Parallel()
	o, store := owner.NewOwner(t)
	refusal := abi.NewError(abi.CodeConnectionInvalid, "no", "")
	err := o.Audited(t.Context(), store, "connections.add", "half", func(ctx context.Context) error {
		if _, err := store.EnsureConnection(ctx, "half", "demo"); err != nil {
			return err
		}
		return refusal
	})
	if !errors.Is(err, refusal) {
		t.Errorf("got %v, want the refusal", err)
	}
	if got, want := audited(t, o), []string{"connections.add half " + string(abi.CodeConnectionInvalid)}; !slices.Equal(got, want) {
		t.Errorf("got the events %q, want %q", got, want)
	}
}

// OC-01.1: whichever face asks for an operation, it makes the same row, the same error
// code and the same audit event, which says which face it was.
func TestFacesMakeTheSameEvent(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	byHand := schedule.ByHand
	var first storage.AuditEvent
	for _, actor := range []owner.Actor{{Face: owner.CommandLine}, {Face: "session", ID: "s1", Address: "192.0.2.1"}} {
		o, store := owner.NewOwner(t)
		o.Actor = actor
		if _, err := store.OpenSession(ctx, "", storage.Session{ID: "s1", SHA256: "s1"}, time.Time{}, time.Time{}); err != nil {
			t.Fatal(err)
		}
		if _, err := o.SetSchedule(ctx, "mine", owner.ScheduleChange{Mode: &byHand}); err != nil {
			t.Fatal(err)
		}
		if _, err := o.SetSchedule(ctx, "yours", owner.ScheduleChange{}); abi.CodeOf(err) != abi.CodeConnectionUnknown {
			t.Errorf("%s: %v, want %s", actor.Face, err, abi.CodeConnectionUnknown)
		}
		conn, err := store.Connection(ctx, "mine")
		if err != nil {
			t.Fatal(err)
		}
		if row, err := store.Schedule(ctx, conn.ID); err != nil || row.Mode != string(byHand) {
			t.Errorf("%s: schedule %+v, %v, want mode %s", actor.Face, row, err, byHand)
		}
		events, err := store.AuditEvents(ctx, storage.AuditQuery{Operation: "connections.schedule", Subject: "mine"})
		if err != nil || len(events) != 1 {
			t.Fatalf("%s: %d events, %v, want 1", actor.Face, len(events), err)
		}
		e := events[0]
		if got := (owner.Actor{owner.Face(e.Actor), e.ActorID, e.Address}); got != actor {
			t.Errorf("the event is by %+v, want %+v", got, actor)
		}
		e.At, e.Actor, e.ActorID, e.Address = time.Time{}, "", "", ""
		if first == (storage.AuditEvent{}) {
			first = e
		}
		if e != first {
			t.Errorf("%s: the event is %+v, want %+v", actor.Face, e, first)
		}
	}
}

// A change and its audit event are one transaction: where the event cannot be written,
// nothing is changed.
func TestNoChangeWithoutItsEvent(t *testing.T) {
	t.Parallel()
	o, store := owner.NewOwner(t)
	breakAudit(t, store)
	if _, err := o.RemoveConnection(t.Context(), "mine", func(owner.Removed) error { return nil }); err == nil {
		t.Error("got no error, want one of the store")
	}
	if _, err := store.Connection(t.Context(), "mine"); err != nil {
		t.Errorf("got %v, want the connection that was not removed", err)
	}
}

// breakAudit makes every audit event fail.
func breakAudit(t *testing.T, store *storage.Store) {
	t.Helper()
	db, err := sql.Open("sqlite", store.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), "CREATE TRIGGER broken BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'broken'); END"); err != nil {
		t.Fatal(err)
	}
}
