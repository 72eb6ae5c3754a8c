package doctor

import (
	"context"
	"errors"
	"fmt"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/storage"
)

// runsPage is how many runs are read at a time.
const runsPage = 100

// stored looks at the store, where there is one. The error is an interruption.
func (e *exam) stored(ctx context.Context) error {
	if !e.HasStore() {
		e.ok("store", "not made yet; the first run makes it")
		return nil
	}
	err := e.store(ctx)
	if err != nil && ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	if err != nil {
		e.fail("store", err)
	}
	return nil
}

// store looks at the database, its promises, its connections and the runs that were
// left behind.
func (e *exam) store(ctx context.Context) error {
	store, err := e.Store(ctx)
	if err != nil {
		return err
	}
	look, said := store.Look, "opens, %s; whether all of it is sound: pdpp-host doctor --deep"
	if e.deep {
		look, said = store.Check, "sound, %s looked at"
	}
	report, err := look(ctx)
	if err != nil {
		return err
	}
	for _, p := range report.Problems {
		e.broken("store", p, string(abi.CodeStoreCorrupt), "copy the data folder somewhere safe, then restore a back-up or collect again into a new one")
	}
	if len(report.Problems) == 0 {
		e.ok("store", fmt.Sprintf(said, words.Plural(report.Records, "record")))
	}
	for _, check := range []func(context.Context, *storage.Store) error{e.server, e.space, e.evidence, e.index, e.grants, e.connections, e.credentials, e.runs, e.serving} {
		if err := check(ctx, store); err != nil {
			return err
		}
	}
	return nil
}

// server says what the store's server is, and whether it keeps what it confirms.
func (e *exam) server(ctx context.Context, store *storage.Store) error {
	s, err := store.Host(ctx)
	if err != nil || s == nil {
		return err
	}
	e.ok("store server", fmt.Sprintf("PostgreSQL %s, %s, at %s", s.Version, s.Encoding, store.Path()))
	if !s.Durable {
		e.add("store server", Notice, "the server confirms a write before it is on its disk", "set fsync, synchronous_commit and full_page_writes to on, their defaults")
	}
	return nil
}

// space says what takes the store's room.
func (e *exam) space(ctx context.Context, store *storage.Store) error {
	if !e.deep {
		return e.spaceInAll(ctx, store)
	}
	s, err := store.Space(ctx)
	if err != nil {
		return err
	}
	e.room(fmt.Sprintf("records %s, run history %s, details still to fetch and their like %s, the rest %s",
		words.Bytes(s.Records), words.Bytes(s.History), words.Bytes(s.Gaps), words.Bytes(s.Rest)), s.Free)
	return nil
}

// spaceInAll says how much room the store takes: what takes it, only a look at each of its pages tells.
func (e *exam) spaceInAll(ctx context.Context, store *storage.Store) error {
	s, err := store.Stats(ctx)
	if err == nil {
		e.room(words.Bytes(s.FileBytes+s.LogBytes)+" in all", s.FreeBytes)
	}
	return err
}

func (e *exam) room(taken string, free int64) {
	said := taken + ", free " + words.Bytes(free)
	if free > 0 {
		said += " (pdpp-host store compact gives it back)"
	}
	e.ok("space", said)
}

// runs names runs whose process is gone. However long the history is, only what has no
// end is read, a page at a time.
func (e *exam) runs(ctx context.Context, store *storage.Store) error {
	for after := int64(0); ; {
		runs, next, err := store.UnfinishedRuns(ctx, after, runsPage)
		if err != nil {
			return err
		}
		for i := range runs {
			if !holder.Alive(runs[i].Holder) {
				e.add("runs", Notice, runs[i].ID+" of "+runs[i].Connector+" was left behind by a process that is gone",
					"nothing has to be done: the connection's next run takes over and goes on from the last checkpoint")
			}
		}
		if next == 0 {
			return nil
		}
		after = next
	}
}
