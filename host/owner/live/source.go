package live

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Change is a connection that has changed.
type Change struct {
	Place      int64
	ID, Name   string
	NewestRun  string // "": it has none
	TimesAlone bool   // nothing was written: it stands otherwise by now
}

// Source is what a Hub looks at. Its methods are for one goroutine at a time.
type Source interface {
	// Moved reports whether there was a commit since it was last asked.
	Moved(ctx context.Context) (bool, error)
	// Last returns the place of the newest change.
	Last(ctx context.Context) (int64, error)
	// Since returns up to limit connections that changed behind a place, in order.
	Since(ctx context.Context, place int64, limit int) ([]Change, error)
	// Aged returns up to limit connections that time alone has changed.
	Aged(ctx context.Context, from, to time.Time, limit int) ([]Change, error)
	// Questions and Devices return a text that is another one when they have changed.
	Questions(ctx context.Context) (string, error)
	Devices(ctx context.Context) (string, error)
	// Callers returns a text that is another one when a token was revoked or a session ended.
	Callers(ctx context.Context) (string, error)
	Close() error
}

// source is the store of an owner.
type source struct {
	store *storage.Store
	watch *storage.Watch
}

// OpenSource begins to watch the store of an owner. Close it.
func OpenSource(ctx context.Context, o *owner.Owner) (Source, error) {
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	w, err := store.Watch(ctx)
	if err != nil {
		return nil, err
	}
	return &source{store, w}, nil
}

func (s *source) Moved(ctx context.Context) (bool, error) { return s.watch.Changed(ctx) }

func (s *source) Last(ctx context.Context) (int64, error) { return s.store.LastChange(ctx) }

func (s *source) Since(ctx context.Context, place int64, limit int) ([]Change, error) {
	all, err := s.store.ChangedSince(ctx, place, limit)
	out := make([]Change, len(all))
	for i, c := range all {
		out[i] = Change{Place: c.Place, ID: c.ConnectionID, Name: c.Name, NewestRun: c.LatestRun}
	}
	return out, err
}

func (s *source) Aged(ctx context.Context, from, to time.Time, limit int) ([]Change, error) {
	ids, err := s.store.StandingSince(ctx, from, to, limit)
	out := make([]Change, len(ids))
	for i, id := range ids {
		out[i] = Change{ID: id, TimesAlone: true}
	}
	return out, err
}

func (s *source) Questions(ctx context.Context) (string, error) {
	all, err := s.store.Questions(ctx, storage.QuestionQuery{Open: true}, holder.Alive)
	var text strings.Builder
	for i := range all {
		text.WriteString(all[i].ID + " ")
	}
	return text.String(), err
}

func (s *source) Devices(ctx context.Context) (string, error) {
	all, err := s.store.Devices(ctx)
	sources, serr := s.store.SourceInstances(ctx, "")
	var text strings.Builder
	for i := range all {
		fmt.Fprintf(&text, "%s %d %d;", all[i].ID, all[i].HeardAt.UnixMicro(), all[i].RevokedAt.UnixMicro())
	}
	for i := range sources {
		fmt.Fprintf(&text, "%s %d;", sources[i].ID, sources[i].OfferedAt.UnixMicro())
	}
	return text.String(), errors.Join(err, serr)
}

func (s *source) Callers(ctx context.Context) (string, error) {
	ids, err := s.store.Callers(ctx)
	return strings.Join(ids, " "), err
}

func (s *source) Close() error { return s.watch.Close() }
