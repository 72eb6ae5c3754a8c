package read

import (
	"context"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// One asks for a single record.
type One struct {
	From

	Key    string
	Fields []string // of the answer; nil: all that are seen
	Expand Expand
}

// Change is a change of a record.
type Change struct {
	Seq       int64
	Deleted   bool
	EmittedAt string // as the connector wrote it
	RunID     string // "": older than the history of runs
}

// History is what is known of a record's changes.
type History struct {
	Record  Record   // as it is now; a deleted one has no data
	Changes []Change // the newest first
	// Earlier: there may have been changes before these. The store keeps what a record is,
	// when and by which run it became that, and nothing of what it was.
	Earlier bool
}

// Record returns a record (RD-21). One that the scope does not show, one that was deleted
// and one that never was are record.unknown alike.
func (r *Reader) Record(ctx context.Context, scope *Scope, o One) (*Record, error) {
	if err := o.Expand.refuse(scope); err != nil {
		return nil, err
	}
	return bounded(ctx, atMost, func(ctx context.Context) (*Record, error) {
		sources, _, err := r.sources(ctx, scope, o.From)
		if err != nil {
			return nil, err
		}
		s, row, past, err := r.find(ctx, sources, o.Key, 0)
		if err != nil {
			return nil, err
		}
		if row.Data == nil || !s.shows(row.Key, row.Data) {
			return nil, noRecord()
		}
		for _, name := range o.Fields {
			if s.plan.Field(name) == nil {
				return nil, unknownField(name)
			}
			if !s.grants(name) {
				return nil, fieldHidden(name)
			}
		}
		shown, err := r.projections(ctx, []source{*s}, o.Fields)
		if err != nil {
			return nil, err
		}
		if name := s.leadless(&o.Expand); name != "" {
			return nil, noLead(name)
		}
		record := s.record(row, &shown[0], past, o.Fields)
		return &record, r.expand(ctx, scope, &o.Expand, []led{{s, row.Data, &record}})
	})
}

// History returns what is known of the changes of a record, a deleted one as well. It is
// the owner's: a change of a field that is not seen would show in it.
func (r *Reader) History(ctx context.Context, scope *Scope, o One) (*History, error) {
	if !scope.Owner {
		return nil, NotGranted("a record's history")
	}
	return bounded(ctx, atMost, func(ctx context.Context) (*History, error) {
		sources, _, err := r.sources(ctx, scope, o.From)
		if err != nil {
			return nil, err
		}
		s, row, _, err := r.find(ctx, sources, o.Key, 0)
		if err != nil {
			return nil, err
		}
		return &History{s.record(row, nil, nil, nil), []Change{{row.Seq, row.Data == nil, row.EmittedAt, row.RunID}}, true}, nil
	})
}

// settled reads a record that the index knows as it is now, with its spans: what a client is
// told of its changes is in there.
func (r *Reader) settled(ctx context.Context, s *source, key string, longest int) (row *storage.ReadRow, past []storage.ReadPast, err error) {
	if s.scope == nil {
		row, err = r.Store.ReadRecord(ctx, s.ID, key, longest)
		return row, nil, err
	}
	all, err := r.settle(ctx, s, func(ctx context.Context) ([]*storage.ReadRow, error) {
		row, err = r.Store.ReadRecord(ctx, s.ID, key, longest)
		return []*storage.ReadRow{row}, err
	})
	return row, all[key], err
}

// mayShow reports whether a record with that key may be seen, without reading it: a record outside
// the scope takes no more time than one that is not there (RD-03.2).
func (r *Reader) mayShow(ctx context.Context, s *source, key string) (bool, error) {
	if !s.names(key) || s.bounded() && !s.timed() {
		return false, nil
	}
	if !s.bounded() {
		return true, nil
	}
	at, err := r.Store.ReadTime(ctx, s.ID, key)
	return s.scope.Time.holds(at), err
}

// find finds a record or tombstone, as ReadRecord does. One of several connections is ambiguous (RD-09.2).
func (r *Reader) find(ctx context.Context, sources []source, key string, longest int) (*source, *storage.ReadRow, []storage.ReadPast, error) {
	var of *source
	var found *storage.ReadRow
	var past []storage.ReadPast
	for i := range sources {
		s := &sources[i]
		if may, err := r.mayShow(ctx, s, key); err != nil {
			return nil, nil, nil, err
		} else if !may {
			continue
		}
		row, spans, err := r.settled(ctx, s, key, longest)
		if abi.CodeOf(err) == abi.CodeRecordUnknown || err == nil && s.bounded() && (row.History == nil || !s.within(row)) {
			continue
		}
		if err != nil {
			return nil, nil, nil, err
		}
		switch {
		case found == nil || found.Data == nil:
			of, found, past = s, row, spans
		case row.Data != nil:
			return nil, nil, nil, abi.NewError(CodeAmbiguous, "several connections have a record with that key", "name the connection as well")
		}
	}
	if found == nil {
		return nil, nil, nil, noRecord()
	}
	return of, found, past, nil
}
