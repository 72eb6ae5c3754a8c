package read

import (
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/declaration"
	"github.com/pdpp-host/pdpp-host/host/read/field"
	"github.com/pdpp-host/pdpp-host/host/read/plan"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Scope is what one reader may see: streams of connections, their fields, the records within
// a time, those with a key. It is made once, and no request widens it (Invariant 9).
type Scope struct {
	Owner   bool          // everything; Streams says nothing then
	Grant   string        // by its id; cursors are good for no other
	Streams []StreamScope // each name once
}

// StreamScope is what of one stream a reader may see.
type StreamScope struct {
	Name        string
	Connections []string   // by id; none: of no connection
	Fields      []string   // those granted, the schema's required ones among them
	Keys        []string   // nil: every record
	Time        *TimeBound // nil: of any time
}

// TimeBound bounds the records of a stream by a field that is a date or a date-time.
type TimeBound struct {
	Field string
	Since *time.Time // included; nil: no bound
	Until *time.Time // not included; nil: no bound
}

// OwnerScope sees everything.
func OwnerScope() *Scope { return &Scope{Owner: true} }

// of returns what of a stream is seen; nil and false: nothing.
func (s *Scope) of(stream string) (*StreamScope, bool) {
	if s.Owner {
		return nil, true
	}
	i := slices.IndexFunc(s.Streams, func(one StreamScope) bool { return one.Name == stream })
	if i < 0 {
		return nil, false
	}
	return &s.Streams[i], true
}

// connections are those of which anything is seen; nil: any.
func (s *Scope) connections() []string {
	if s.Owner {
		return nil
	}
	all := []string{}
	for i := range s.Streams {
		all = append(all, s.Streams[i].Connections...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// sees reports whether anything of a stream is seen.
func (s *Scope) sees(one *storage.ReadStream) bool { return s.Sees(one.ConnectionID, one.Name) }

// Sees reports whether anything of a stream of a connection is seen.
func (s *Scope) Sees(connection, stream string) bool {
	granted, ok := s.of(stream)
	return ok && (granted == nil || slices.Contains(granted.Connections, connection))
}

// source is one stream of one connection that a request reads.
type source struct {
	storage.ReadStream

	plan  *plan.Plan
	scope *StreamScope // nil: the owner's
}

// whole reports whether every record of the source is seen.
func (s *source) whole() bool { return s.scope == nil || s.scope.Keys == nil && s.scope.Time == nil }

// grants reports whether a field may be seen.
func (s *source) grants(name string) bool {
	return s.scope == nil || slices.Contains(s.scope.Fields, name)
}

// shows reports whether a record may be seen. One whose time cannot be read is outside a
// time bound (RD-34.3).
func (s *source) shows(key string, data []byte) bool {
	if s.whole() {
		return true
	}
	if !s.names(key) {
		return false
	}
	t := s.scope.Time
	if t == nil {
		return true
	}
	is := s.plan.TypeOf(t.Field) // now: a grant may be older, and other values compare as they like
	return is.IsTime() && t.holds(field.Order(is, field.Get(data, t.Field)))
}

// names reports whether a record with that key may be seen.
func (s *source) names(key string) bool {
	return s.scope == nil || s.scope.Keys == nil || slices.Contains(s.scope.Keys, key)
}

// holds reports whether a time is within the bound; none is not. Within a bound that cannot
// be compared nothing is.
func (t *TimeBound) holds(at []byte) bool {
	if len(at) == 0 || field.IsMissing(at) {
		return false
	}
	if t.Since != nil {
		if since, ok := bound(*t.Since); !ok || compare(at, since) < 0 {
			return false
		}
	}
	if t.Until != nil {
		if until, ok := bound(*t.Until); !ok || compare(at, until) >= 0 {
			return false
		}
	}
	return true
}

// bound is a moment as the orders of dates and date-times have it; false: it is none of theirs.
func bound(at time.Time) ([]byte, bool) {
	return field.OrderTyped(declaration.DateTime, at.UTC().Format(time.RFC3339Nano))
}

// cut returns the members of a record that are seen and asked for; nil fields: all of them.
// The schema's required ones are always among them (RD-18.2).
func (s *source) cut(data []byte, fields []string) []byte {
	if data == nil || s.scope == nil && fields == nil {
		return data
	}
	return field.Project(make([]byte, 0, len(data)), data, func(name string) bool { return s.keeps(name, fields) })
}

// keeps reports whether a field is seen and asked for.
func (s *source) keeps(name string, fields []string) bool {
	if !s.grants(name) {
		return false
	}
	if fields == nil || slices.Contains(fields, name) {
		return true
	}
	f := s.plan.Field(name)
	return f != nil && f.Required
}
