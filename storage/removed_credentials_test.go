package storage

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// signedIn is a connection whose latest run got in with its stored credential.
func signedIn(t *testing.T) (*exercise, *Connection) {
	t.Helper()
	x, c := kept(t, signedManifest)
	x.leave(c, "token", "note")
	x.succeed(x.begin("c", allStreams), nil)
	x.tone("signed in", verdict.Green)
	return x, c
}

func (x *exercise) leave(c *Connection, fields ...string) {
	x.Helper()
	sealed := map[string][]byte{}
	for _, f := range fields {
		sealed[f] = []byte{1}
	}
	x.ok(x.s.PutCredentials(x.Context(), c.ID, sealed))
}

func (x *exercise) forget(c *Connection, field string) {
	x.Helper()
	_, err := x.s.DeleteCredential(x.Context(), c.ID, field)
	x.ok(err)
}

func (x *exercise) revision(name string) int64 {
	x.Helper()
	e, err := x.s.EvidenceOf(x.Context(), name)
	x.ok(err)
	return e.Revision
}

// gone is since when a required credential is, as the scheduler is told.
func (x *exercise) gone(c *Connection) time.Time { return x.scheduleState(c.ID).SignedOut.UTC() }

// HL-03.1, HL-23.1: a removed credential that the connector requires is in the
// evidence with the removal. HL-26: it is known to the scheduler until a run counts.
func TestARemovedCredentialIsEvidence(t *testing.T) {
	t.Parallel()
	x, c := signedIn(t)
	x.forget(c, "note")
	x.tone("what is not required", verdict.Green)
	x.same(x.gone(c).IsZero(), true)
	before := x.revision("c")
	x.clock.forward(time.Hour)
	x.forget(c, "token")
	v := x.verdict("c")
	if v.Pill.Tone != verdict.Red || v.RequiredActions[0].CTACode != "cta_sign_in" || conditionOf(&v, health.CollectionSucceeded).Status != health.True {
		t.Errorf("got %+v %+v, want red, cta_sign_in, and a run that succeeded", v.Pill, v.RequiredActions)
	}
	x.same(x.revision("c") > before, true)
	x.same(x.gone(c), x.clock.Now().UTC())
	x.sound()
	x.ok(x.s.Close())
	x.s = x.open(t, x.clock.Now)
	x.tone("opened again", verdict.Red)

	x.dispatch(c, "attention", "", time.Time{})
	x.tone("the scheduler waits", verdict.Red)
	since := x.gone(c)
	x.clock.forward(time.Hour)
	x.leave(c, "token")
	x.tone("there again", verdict.Grey)
	x.same(x.gone(c), since)
	x.forget(c, "token") // no run could use this one: the first is the one that counts
	x.tone("gone again", verdict.Red)
	x.same(x.gone(c), since)
	x.leave(c, "token")
	x.ok(x.begin("c", allStreams).Finish(t.Context(), Outcome{Status: tables.StatusCancelled, Reason: "owner_cancelled"}))
	x.tone("a cancelled run", verdict.Grey)
	x.forget(c, "token")
	x.tone("a cancelled run could use it", verdict.Red)
	x.leave(c, "token")
	x.succeed(x.begin("c", allStreams), nil)
	x.tone("a run got in", verdict.Green)
	x.same(x.gone(c).IsZero(), true)
	x.sound()
}

// The store does not judge a run that had no stored credential.
func TestTheEnvironmentIsNotTheStores(t *testing.T) {
	t.Parallel()
	x, c := kept(t, signedManifest)
	x.succeed(x.begin("c", allStreams), nil)
	x.leave(c, "token")
	x.forget(c, "token")
	x.tone("no run could use it", verdict.Green)
	x.leave(c, "token")
	x.succeed(x.begin("c", allStreams), nil)
	x.forget(c, "token")
	x.tone("a run could", verdict.Red)
	x.succeed(x.begin("c", allStreams), nil)
	x.tone("a run got in without it", verdict.Green)
	x.sound()
}

// One that was typed or taken away while a run went on was that run's.
func TestACredentialOfARunningRun(t *testing.T) {
	t.Parallel()
	x, c := kept(t, signedManifest)
	w := x.begin("c", allStreams)
	x.leave(c, "token")
	x.succeed(w, nil)
	x.forget(c, "token")
	x.tone("typed in a run", verdict.Red)
	x.leave(c, "token")
	w = x.begin("c", allStreams)
	x.forget(c, "token")
	x.succeed(w, nil)
	x.tone("taken away in a run", verdict.Red)
	x.sound()
}

// A manifest that does not require it any more is signed in without it; a renewed
// value is the same credential.
func TestRequiredByTheAcceptedManifest(t *testing.T) {
	t.Parallel()
	x, c := signedIn(t)
	x.leave(c, "token") // renewed
	x.forget(c, "token")
	x.tone("required", verdict.Red)
	x.ok(x.s.PinPlugin(t.Context(), c.ID, "def", []byte(keptManifest)))
	x.tone("not any more", verdict.Green)
	x.same(x.gone(c).IsZero(), true)
	x.sound()
}

// A store of before knows nothing of which run could use a credential: it is taken
// for one that they all could. Its evidence is made again.
func TestACredentialFromBefore(t *testing.T) {
	t.Parallel()
	x, c := signedIn(t)
	x.ok(x.s.db.Alone(t.Context(), "make it older", func(tx *db.Tx) error {
		for _, q := range []string{"UPDATE credentials SET from_run = 0", "UPDATE evidence SET format = 5, facts = '{}'"} {
			if _, err := tx.DB.ExecContext(tx.Ctx, q); err != nil {
				return err
			}
		}
		return nil
	}))
	x.ok(x.s.Close())
	x.s = x.open(t, x.clock.Now)
	x.tone("migrated", verdict.Green)
	x.forget(c, "token")
	x.tone("taken away", verdict.Red)
	x.sound()
}

// A refusal's words are kept without anything that could be a secret, for the newest refusal
// alone and until a run begins.
func TestARefusalsWords(t *testing.T) {
	t.Parallel()
	x, c := kept(t, keptManifest)
	ctx := t.Context()
	refuse := func(says string) {
		x.clock.forward(time.Minute)
		_, err := x.s.RecordDispatch(ctx, Dispatch{ConnectionID: c.ID, Status: "refused", Reason: "files.root_missing", Says: says, Holds: stored.HeldForOwner, AfterRun: x.newestRun(c)})
		x.ok(err)
	}
	said := func(of string) (words []string) {
		all, err := x.s.Refusals(ctx, of)
		x.ok(err)
		for _, d := range all {
			words = append(words, d.Says)
		}
		return words
	}
	other := x.connection("other")
	refuse("no folder at /home/annabel/notes, token ghp_a1b2c3d4e5f6")
	refuse("no folder at all")
	x.same(said(""), []string{"no folder at all"})
	refuse("password=hunter2")
	x.same(said(c.ID), []string{""})
	refuse("no folder at /home/annabel/notes")
	x.same(said(c.ID), []string{"no folder at …"})
	x.same(len(said(other.ID)), 0)
	all, err := x.s.Refusals(ctx, "")
	x.ok(err)
	x.same([]any{len(all), all[0].Count, all[0].Reason}, []any{1, int64(4), "files.root_missing"})
	x.dispatch(c, "policy_paused", "", time.Time{})
	x.same(len(said("")), 1) // and it waits for its owner all the same
	x.dispatch(c, "source_pressure", stored.HeldUntil, x.clock.Now().Add(time.Hour))
	x.same(len(said("")), 1)
	refuse("again")
	x.same(said(""), []string{"again"})
	x.succeed(x.begin("c", allStreams), nil)
	x.same(len(said("")), 0)
	x.sound()
}
