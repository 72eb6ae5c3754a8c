package read

import (
	"context"
	"math"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/read/field"
	"github.com/pdpp-host/pdpp-host/host/read/index"
	"github.com/pdpp-host/pdpp-host/host/read/plan"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Expand asks for the records that relations lead to, beside those of an answer (RD-20).
type Expand struct {
	Names  []string       // of relations that their stream declares for it; nil: none
	Limits map[string]int // of records of one record, by relations to many; without one, the relation's own
}

// Expanded is what a relation leads to from one record.
type Expanded struct {
	plan.Lead

	Records []Record // of a relation to one, at most one
	More    bool     // there are others, or nobody has looked
}

// led is a record of an answer, from which relations lead on.
type led struct {
	source *source
	data   []byte // all of it
	record *Record
}

// refuse refuses what no stream has to be looked up for.
func (e *Expand) refuse(scope *Scope) error {
	if !scope.Owner && (e.Names != nil || e.Limits != nil) {
		return invalid("a relation cannot be expanded here", "leave it out") // RD-20.1
	}
	for name, limit := range e.Limits {
		if !slices.Contains(e.Names, name) || limit < 1 {
			return badExpand("a limit is above zero, and of a relation that is expanded")
		}
	}
	return nil
}

func badExpand(rule string) error {
	return abi.NewError(CodeExpand, rule, "expand_capabilities of the stream names the relations there are")
}

func noLead(name string) error {
	return badExpand("the relation " + name + " is none that the stream declares for this, or not with that limit")
}

// leadless names a relation that is asked for and that the source cannot follow so; "": none.
func (s *source) leadless(e *Expand) string {
	for _, name := range e.Names {
		l := s.plan.Lead(name)
		if limit, has := e.Limits[name]; l == nil || !l.Usable || has && (!l.Many() || limit > l.Max) {
			return name
		}
	}
	return ""
}

// expand adds to records what the relations lead to. It reads a stream that they lead to once for
// all of the records of a source (RD-20.3).
func (r *Reader) expand(ctx context.Context, scope *Scope, e *Expand, all []led) error {
	var sources []*source
	of := map[*source][]led{}
	for _, one := range all {
		if of[one.source] == nil {
			sources = append(sources, one.source)
		}
		of[one.source] = append(of[one.source], one)
	}
	names := slices.Compact(slices.Sorted(slices.Values(e.Names)))
	for n, name := range names {
		for _, s := range sources {
			lead := *s.plan.Lead(name)
			for _, one := range of[s] {
				one.record.Expanded = append(one.record.Expanded, Expanded{Lead: lead})
			}
			child, err := r.child(ctx, scope, s, &lead)
			switch {
			case err != nil:
				return err
			case child == nil: // nothing was collected of it so far
			case lead.Own:
				err = r.followOwn(ctx, child, of[s], n)
			default:
				err = r.follow(ctx, child, of[s], n, e.Limits[name], chunkBytes/(len(sources)*len(names)))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// child finds the stream of the same connection that a relation leads to; nil: there is none.
func (r *Reader) child(ctx context.Context, scope *Scope, s *source, l *plan.Lead) (*source, error) {
	found, _, err := r.sources(ctx, scope, From{Stream: l.Stream, Connections: []string{s.ConnectionID}})
	if abi.CodeOf(err) == abi.CodeStreamUnknown || err == nil && len(found) == 0 {
		return nil, nil //nolint:nilnil // it has no record yet
	}
	if err != nil {
		return nil, err
	}
	return &found[0], nil
}

// follow adds the records that have the keys of others in a field of theirs: of a relation to many
// no more than fit in so many bytes, and one.
func (r *Reader) follow(ctx context.Context, child *source, all []led, n, limit, bytes int) error {
	lead := all[0].record.Expanded[n].Lead
	q := storage.ReadLinks{StreamID: child.ID, Bytes: math.MaxInt, Limit: 1}
	if lead.Many() {
		if limit == 0 {
			limit = lead.Default
		}
		q.Bytes, q.Limit = bytes, limit+1
	}
	h, err := index.Hasher(ctx, r.Store, r.Random)
	if err != nil {
		return err
	}
	at := map[int64]int{}
	for i := range all {
		link := h.Link(lead.ForeignKey, all[i].record.Key)
		q.Links, at[link] = append(q.Links, link), i
	}
	rows, cut, err := r.Store.ReadLinked(ctx, q)
	if err != nil {
		return err
	}
	for i := range rows {
		row := &rows[i]
		one := all[at[row.Link]].record
		to := &one.Expanded[n]
		key, is := field.Key(field.Get(row.Data, lead.ForeignKey))
		switch {
		case !is || key != one.Key: // it has changed since it was indexed
		case lead.Many() && len(to.Records) == limit:
			to.More = true
		default:
			to.Records = append(to.Records, child.record(&row.Row, nil, nil, nil))
		}
	}
	if cut { // nothing is known of what is behind it
		for i := at[rows[len(rows)-1].Link]; i < len(all); i++ {
			all[i].record.Expanded[n].More = true
		}
	}
	return nil
}

// followOwn adds the records whose keys others have in a field of theirs.
func (r *Reader) followOwn(ctx context.Context, child *source, all []led, n int) error {
	by := map[string][]int{}
	for i := range all {
		if key, ok := field.Key(field.Get(all[i].data, all[i].record.Expanded[n].ForeignKey)); ok {
			by[key] = append(by[key], i)
		}
	}
	keys := make([]string, 0, len(by))
	for key := range by {
		keys = append(keys, key)
	}
	rows, _, err := r.Store.ReadRecords(ctx, child.ID, keys, math.MaxInt)
	for i := range rows {
		for _, at := range by[rows[i].Key] {
			if rows[i].Data != nil { // else it is deleted
				all[at].record.Expanded[n].Records = []Record{child.record(&rows[i], nil, nil, nil)}
			}
		}
	}
	return err
}
