package read

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Overview asks how much there is.
type Overview struct {
	Stream      string   // "": every one
	Connections []string // by id or name; nil: all that are seen

	page []string // the ids on a page, all of them seen; nil without a page
}

// Stream sizes one stream of a connection.
type Stream struct {
	Name         string
	ConnectionID string
	Connection   string // its name
	Connector    string
	SourceID     string    // of its connector; "": its module says none
	Records      *int64    // nil: the scope shows a part of them, which takes too long to count
	First, Last  time.Time // the days of the first and the last record; zero: none has a time, or a part is shown
	Changed      string    // when the record that changed last was collected, as its connector wrote it
}

// Pages chooses a page of the connections of which a scope shows anything.
type Pages struct {
	Connector   string                // "": any
	ByConnector bool                  // by connector, and then by name; else by name
	After       storage.ConnectionKey // the last one of the page before; zero: the first page
	Limit       int
}

// Page narrows an overview down to a page of its connections. last is where the next page goes on,
// zero on the last one. A connection whose scope names it and that is gone is on no page.
func (r *Reader) Page(ctx context.Context, scope *Scope, o Overview, p Pages) (page Overview, last storage.ConnectionKey, err error) {
	ids, err := r.connections(ctx, scope, nil, o.Connections)
	if err != nil {
		return o, last, err
	}
	keys, err := r.Store.ConnectionKeys(ctx, storage.ConnectionKeys{IDs: ids, Connector: p.Connector, ByConnector: p.ByConnector, After: p.After, Limit: p.Limit + 1})
	if err != nil {
		return o, last, err
	}
	if len(keys) > p.Limit {
		keys = keys[:p.Limit]
		last = keys[p.Limit-1]
	}
	o.page = make([]string, len(keys))
	for i := range keys {
		o.page[i] = keys[i].ID
	}
	return o, last, nil
}

// chosen returns the ids of the connections that an overview counts. It returns nil for any connection.
func (r *Reader) chosen(ctx context.Context, scope *Scope, o *Overview) ([]string, error) {
	if o.page != nil {
		return o.page, nil
	}
	return r.connections(ctx, scope, nil, o.Connections)
}

// Streams lists the streams that a scope shows, by connection and name (RD-10).
func (r *Reader) Streams(ctx context.Context, scope *Scope, o Overview) (all []Stream, behind int64, err error) {
	sources, behind, err := r.seen(ctx, scope, o)
	if err != nil {
		return nil, 0, err
	}
	var ids []int64
	if o.page != nil {
		ids = make([]int64, len(sources))
		for i := range sources {
			ids[i] = sources[i].ID
		}
	}
	spans, err := r.Store.ReadSpans(ctx, ids)
	if err != nil {
		return nil, 0, err
	}
	changed, err := r.Store.LastChanges(ctx, ids)
	if err != nil {
		return nil, 0, err
	}
	byID := make(map[int64]storage.ReadSpan, len(spans))
	for _, s := range spans {
		byID[s.StreamID] = s
	}
	for i := range sources {
		s := &sources[i]
		one := Stream{Name: s.Name, ConnectionID: s.ConnectionID, Connection: s.Connection, Connector: s.Connector, SourceID: s.plan.Source.ID}
		if one.Records, err = r.size(ctx, scope, s); err != nil {
			return nil, 0, err
		}
		if s.whole() {
			if span, ok := byID[s.ID]; ok {
				one.First, one.Last = storage.Date(span.First), storage.Date(span.Last)
			}
		}
		if scope.Owner {
			one.Changed = changed[s.ID]
		}
		all = append(all, one)
	}
	return all, behind, nil
}

// size counts the records of a source that the scope shows. nil: it shows a part of them, and
// to count it takes too long (RD-10.1).
func (r *Reader) size(ctx context.Context, scope *Scope, s *source) (*int64, error) {
	if s.whole() || s.ID == 0 {
		return &s.Live, nil
	}
	total, err := bounded(ctx, toSize, func(ctx context.Context) (total int64, err error) {
		found, _, err := r.sources(ctx, scope, From{Stream: s.Name, Connections: []string{s.ConnectionID}}) // indexed
		for i := range found {
			n, cerr := r.countOf(ctx, &found[i], nil)
			total, err = total+n, errors.Join(err, cerr)
		}
		return total, err
	})
	if code := abi.CodeOf(err); code == CodeBusy || code == CodeBehind {
		return nil, nil //nolint:nilnil // it is not counted
	}
	return &total, err
}

// Connections returns the ids of those of which a scope shows anything; nil: any.
func (r *Reader) Connections(ctx context.Context, scope *Scope, o Overview) ([]string, error) {
	return r.chosen(ctx, scope, &o)
}

// Day counts the records of one day.
type Day struct {
	Date    time.Time // its midnight, UTC
	Records int64
}

// Days counts the records of each day from a first to a last one, both included; days
// without a record are left out. A record's time field says its day, or, without one, the time
// when it was collected. Streams of which the scope shows a part are not
// counted.
func (r *Reader) Days(ctx context.Context, scope *Scope, o Overview, first, last time.Time) (days []Day, behind int64, err error) {
	var streams []int64
	if !scope.Owner || o.Stream != "" || o.Connections != nil {
		sources, _, err := r.seen(ctx, scope, o)
		if err != nil {
			return nil, 0, err
		}
		streams = []int64{}
		for i := range sources {
			if sources[i].whole() {
				streams = append(streams, sources[i].ID)
			}
		}
	}
	left, err := r.Index.All(ctx, r.briefly(toOverview))
	if behind = left.Changes; err != nil || streams != nil && len(streams) == 0 {
		return nil, behind, err
	}
	found, err := r.Store.ReadDays(ctx, streams, storage.Day(first), storage.Day(last))
	for _, d := range found {
		date := storage.Date(d.Day)
		if n := len(days); n > 0 && days[n-1].Date.Equal(date) {
			days[n-1].Records += d.Records
			continue
		}
		days = append(days, Day{date, d.Records})
	}
	return days, behind, err
}

// seen finds the streams that an overview is of, indexed as far as the wait goes. A client does not wait:
// how long that is tells of streams that it does not see (Invariant 9).
func (r *Reader) seen(ctx context.Context, scope *Scope, o Overview) (found []source, behind int64, err error) {
	if scope.Owner {
		left, err := r.Index.All(ctx, r.briefly(toOverview))
		if err != nil {
			return nil, 0, err
		}
		behind = left.Changes
	}
	found, err = r.shown(ctx, scope, o)
	return found, behind, err
}

// shown finds the streams that a scope shows, indexed or not.
func (r *Reader) shown(ctx context.Context, scope *Scope, o Overview) ([]source, error) {
	if _, ok := scope.of(o.Stream); o.Stream != "" && !ok {
		return nil, NotGranted("the stream")
	}
	connections, err := r.chosen(ctx, scope, &o)
	if err != nil {
		return nil, err
	}
	streams, err := r.Store.ReadStreams(ctx, storage.ReadStreams{Connections: connections, Name: o.Stream})
	if err == nil && !scope.Owner {
		streams, err = r.withEmpty(ctx, scope, o, connections, streams)
	}
	if err != nil {
		return nil, err
	}
	return r.planned(ctx, scope, slices.Clip(streams))
}

// withEmpty adds the granted streams of which there are no records yet (RD-10.2).
func (r *Reader) withEmpty(ctx context.Context, scope *Scope, o Overview, connections []string, streams []storage.ReadStream) ([]storage.ReadStream, error) {
	there, err := r.Store.ConnectionsOf(ctx, connections)
	for i := range there {
		c := &there[i]
		for k := range scope.Streams {
			name := scope.Streams[k].Name
			has := slices.ContainsFunc(streams, func(s storage.ReadStream) bool { return s.ConnectionID == c.ID && s.Name == name })
			if !has && scope.Sees(c.ID, name) && (o.Stream == "" || o.Stream == name) {
				streams = append(streams, storage.ReadStream{ConnectionID: c.ID, Connection: c.Name, Connector: c.Connector, Name: name, Module: c.PinnedSHA256})
			}
		}
	}
	slices.SortFunc(streams, func(a, b storage.ReadStream) int {
		return cmp.Or(strings.Compare(a.Connection, b.Connection), strings.Compare(a.Name, b.Name))
	})
	return streams, err
}
