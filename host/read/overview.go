package read

import (
	"context"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/host/read/plan"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Overview asks how much there is.
type Overview struct {
	Stream      string   // "": every one
	Connections []string // by id or name; nil: all that are seen
}

// Stream sizes one stream of a connection.
type Stream struct {
	Name         string
	ConnectionID string
	Connection   string // its name
	Connector    string
	Records      *int64    // nil: the scope shows a part of them, which is not counted
	First, Last  time.Time // the days of the first and the last record; zero: none has a time, or a part is shown
	Changed      string    // when the record that changed last was collected, as its connector wrote it
}

// Streams lists the streams that a scope shows, by connection and name (RD-10).
func (r *Reader) Streams(ctx context.Context, scope *Scope, o Overview) (all []Stream, behind int64, err error) {
	sources, behind, err := r.seen(ctx, scope, o)
	if err != nil {
		return nil, 0, err
	}
	spans, err := r.Store.ReadSpans(ctx, nil)
	if err != nil {
		return nil, 0, err
	}
	changed, err := r.Store.LastChanges(ctx)
	if err != nil {
		return nil, 0, err
	}
	byID := make(map[int64]storage.ReadSpan, len(spans))
	for _, s := range spans {
		byID[s.StreamID] = s
	}
	for i := range sources {
		s := &sources[i]
		one := Stream{Name: s.Name, ConnectionID: s.ConnectionID, Connection: s.Connection, Connector: s.Connector}
		if s.whole() {
			one.Records = &s.Live
			if span, ok := byID[s.ID]; ok {
				one.First, one.Last = plan.DateOf(span.First), plan.DateOf(span.Last)
			}
		}
		if scope.Owner {
			one.Changed = changed[s.ID]
		}
		all = append(all, one)
	}
	return all, behind, nil
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
	if behind, err = r.Index.All(ctx, r.Wait); err != nil || streams != nil && len(streams) == 0 {
		return nil, behind, err
	}
	found, err := r.Store.ReadDays(ctx, streams, plan.DayOf(first), plan.DayOf(last))
	for _, d := range found {
		date := plan.DateOf(d.Day)
		if n := len(days); n > 0 && days[n-1].Date.Equal(date) {
			days[n-1].Records += d.Records
			continue
		}
		days = append(days, Day{date, d.Records})
	}
	return days, behind, err
}

// seen finds the streams that an overview is of, indexed as far as the wait goes.
func (r *Reader) seen(ctx context.Context, scope *Scope, o Overview) ([]source, int64, error) {
	behind, err := r.Index.All(ctx, r.Wait)
	if err != nil {
		return nil, 0, err
	}
	sources, err := r.shown(ctx, scope, o)
	return sources, behind, err
}

// shown finds the streams that a scope shows, indexed or not.
func (r *Reader) shown(ctx context.Context, scope *Scope, o Overview) ([]source, error) {
	if _, ok := scope.of(o.Stream); o.Stream != "" && !ok {
		return nil, notGranted("the stream")
	}
	connections, err := r.connections(ctx, scope, nil, o.Connections)
	if err != nil {
		return nil, err
	}
	streams, err := r.Store.ReadStreams(ctx, storage.ReadStreams{Connections: connections, Name: o.Stream})
	if err != nil {
		return nil, err
	}
	return r.planned(ctx, scope, slices.Clip(streams))
}
