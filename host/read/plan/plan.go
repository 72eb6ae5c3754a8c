package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi/declaration"
	"github.com/pdpp-host/pdpp-host/storage"
)

// format is raised when the same declaration makes other entries.
const format = 3

// Plan is how the records of one stream are indexed.
type Plan struct {
	declaration.Stream

	Source  declaration.Source // whose stream it is
	Hash    string             // of what of the declaration the entries depend on
	Indexed []string           // the fields that are searched, by their numbers
	Leads   []Lead             // the relations that a read may follow
	Links   []string           // the fields by which the relations of other streams lead here
}

// Of makes the plan of a stream by a connection's accepted manifest. Of a stream that it
// does not declare, or without one, the plan orders by key and searches nothing.
func Of(manifest []byte, stream string) *Plan {
	p, _ := of(manifest, stream)
	return p
}

// of is Of, and reports whether the manifest declares the stream.
func of(manifest []byte, stream string) (p *Plan, declared bool) {
	p = &Plan{Stream: declaration.Stream{Name: stream}, Source: declaration.SourceOf(manifest)}
	all := declaration.Read(manifest)
	for _, s := range all {
		if s.Name == stream {
			p.Stream, declared = s, true
		}
	}
	p.Leads = leads(&p.Stream, all)
	p.Links = links(&p.Stream, all)
	p.Indexed = slices.Clone(p.Lexical)
	slices.Sort(p.Indexed)
	p.Indexed = p.Indexed[:min(len(p.Indexed), storage.MostReadFields)]
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %q %q %q %q %v %q %q", format, p.CursorField, p.TypeOf(p.CursorField), p.TimeField(), p.TypeOf(p.TimeField()), p.Bounded(), p.Indexed, p.Links))
	p.Hash = hex.EncodeToString(sum[:])
	return p, declared
}

// TimeField is the field that says which time a record is of; "": none does.
func (p *Plan) TimeField() string {
	for _, name := range []string{p.ConsentTimeField, p.CursorField} {
		if name != "" && p.TypeOf(name).IsTime() {
			return name
		}
	}
	return ""
}

// Bounded reports whether a time bound can choose among the records: their
// consent_time_field is a date or a date-time.
func (p *Plan) Bounded() bool { return p.ConsentTimeField != "" && p.TimeField() == p.ConsentTimeField }

// Scope is the word in the index for one field of one stream, whose number is that in
// Indexed.
func Scope(streamID int64, field int) string { return fmt.Sprintf("s%df%d", streamID, field) }

// Whole is the word in the index for all searched fields of one stream. A search for it reads one
// list of documents; a search by Scope reads one list a field.
func Whole(streamID int64) string { return fmt.Sprintf("s%d", streamID) }
