package boundary

import (
	"bytes"
	"fmt"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/boundary/internal/tape"
)

// Record is one accepted or rejected RECORD. Its slices are valid until fn returns:
// they are parts of the payload, or buffers of the Gate.
type Record struct {
	Stream    int        // index in the scope's streams
	Key       []byte     // canonical key text; see KeyText
	Data      []byte     // the object's text as the guest wrote it; nil with Delete
	EmittedAt []byte     // as the guest wrote it; may be empty with Delete
	Delete    bool       // a tombstone (RT-07.1)
	MovedFrom []byte     // the canonical text of the key that the record had until now, or nil
	Rejected  *Rejection // not nil: the data fails the stream's schema; do not store
}

// Rejection describes where data fails its schema. Path is a JSON pointer from the
// data, in which a name that the schema does not declare appears as "*"; for the
// keyword required it names the missing member, and for additionalProperties the
// excess field. It never holds a value.
type Rejection struct {
	Path    string
	Keyword string
	Types   string // for the keyword type: the found and the allowed types, if known
}

// Records reads one emit call's JSON Lines and calls fn with each record in order,
// accepted or rejected; the last line may lack its line feed. A violation is an
// *abi.Error boundary.*, returned after fn was called with the records before it. An
// error of fn ends the walk and is returned unchanged.
func (g *Gate) Records(payload []byte, fn func(*Record) error) error {
	if len(payload) > abi.MaxEmitBytes {
		return tooLarge("an emit call", len(payload), abi.MaxEmitBytes)
	}
	if len(payload) == 0 {
		return violation(abi.CodeSyntax, "an emit call without a record", "emit one or more lines")
	}
	for line := 1; len(payload) > 0; line++ {
		text := payload
		if i := bytes.IndexByte(payload, '\n'); i >= 0 {
			text, payload = payload[:i], payload[i+1:]
		} else {
			payload = nil
		}
		if len(text) > abi.MaxRecordBytes {
			return tooLarge(fmt.Sprintf("line %d of an emit call", line), len(text), abi.MaxRecordBytes)
		}
		if err := g.tape.Scan(text); err != nil {
			return refused(fmt.Sprintf("line %d of an emit call", line), err)
		}
		if err := g.admit(line); err != nil {
			return err
		}
		if err := fn(&g.record); err != nil {
			return err
		}
	}
	return nil
}

// admit checks the scanned line against every rule after syntax and fills g.record.
//
// Invariant 3: nothing a guest emits reaches storage without passing here.
func (g *Gate) admit(line int) error {
	g.record, g.data = Record{Stream: -1}, -1
	e, rule := g.envelope()
	if rule != "" {
		code := abi.CodeEnvelope
		if rule == wrongType {
			code = abi.CodeMessageType
		}
		return violation(code, fmt.Sprintf("line %d of an emit call: %s", line, rule), "see RECORD in the ABI reference")
	}
	g.record.Stream = g.lookup(e.stream)
	if g.record.Stream < 0 {
		return outOfScope(abi.TypeRecord, string(g.tape.Bytes(e.stream, nil)))
	}
	s := &g.streams[g.record.Stream]
	if err := g.key(s, &e); err != nil {
		return err
	}
	if err := g.withinResources(s, &e); err != nil {
		return err
	}
	g.record.Delete = e.delete
	if e.emittedAt >= 0 {
		g.emitted = g.tape.Decode(g.emitted[:0], e.emittedAt)
		if bytes.IndexByte(g.emitted, 0) >= 0 {
			return violation(abi.CodeEnvelope, fmt.Sprintf("line %d of an emit call: emitted_at %s", line, holdsNUL), "see RECORD in the ABI reference")
		}
		g.record.EmittedAt = g.emitted
	}
	if e.delete {
		if s.appendOnly { // RT-07.2
			return violation(abi.CodeDeleteOnAppendOnly, "a deletion on stream "+quote(s.name)+", which is append-only",
				"emit deletions on mutable_state streams only")
		}
		return nil
	}
	if err := g.movedFrom(s, &e); err != nil {
		return err
	}
	if err := g.withinTimeRange(s, e.data); err != nil {
		return err
	}
	if err := g.withinFields(s, e.data); err != nil {
		return err
	}
	failure, err := s.schema.Check(&g.tape, e.data)
	if err != nil {
		return violation(abi.CodeSchemaTooCostly, "a record of stream "+quote(s.name)+": "+err.Error(),
			"simplify the schema: references and combinators multiply")
	}
	if failure != nil {
		g.record.Rejected = &Rejection{Path: failure.Path, Keyword: failure.Keyword, Types: failure.Types}
	}
	g.record.Data, g.data = g.tape.Text(e.data), e.data
	return nil
}

// Filled calls fn with the name of each member of the record's data that is not null, while fn of
// Records has the record. A name is valid until fn returns.
func (g *Gate) Filled(fn func(name []byte)) {
	if g.data < 0 {
		return
	}
	t := &g.tape
	for k, end := g.data+1, t.Next(g.data); k < end; k = t.Next(k + 1) {
		if t.Kind(k+1) == tape.Null {
			continue
		}
		name, plain := t.Plain(k)
		if !plain {
			g.scratch = t.Bytes(k, g.scratch[:0])
			name = g.scratch
		}
		fn(name)
	}
}

// lookup returns the scope index of the stream in string i, or -1.
func (g *Gate) lookup(i int) int {
	for k := range g.streams {
		if g.tape.Equal(i, g.streams[k].name) {
			return k
		}
	}
	return -1
}

func outOfScope(what, stream string) error {
	return violation(abi.CodeStreamOutOfScope, what+" names stream "+quote(stream)+", which is not in the run's scope",
		"emit only for the streams of START.scope")
}

// envelope holds the positions of a RECORD's members on the tape; -1: absent.
type envelope struct {
	stream, key, data, emittedAt, movedFrom int
	delete                                  bool
}

const wrongType = "its type is not RECORD"

// maxEmittedAt bounds emitted_at, which storage saves unchanged.
const maxEmittedAt = 64

// envelope reads the members of the outermost object; rule describes a problem.
func (g *Gate) envelope() (e envelope, rule string) {
	t := &g.tape
	e = envelope{-1, -1, -1, -1, -1, false}
	if t.Kind(tape.Root) != tape.Object {
		return e, "a RECORD must be an object"
	}
	typ, op := -1, -1
	for k, end := tape.Root+1, t.Next(tape.Root); k < end; k = t.Next(k + 1) {
		name, plain := t.Plain(k)
		if !plain {
			g.scratch = t.Bytes(k, g.scratch[:0])
			name = g.scratch
		}
		switch string(name) {
		case "type":
			typ = k + 1
		case "stream":
			e.stream = k + 1
		case "key":
			e.key = k + 1
		case "data":
			e.data = k + 1
		case "emitted_at":
			e.emittedAt = k + 1
		case "op":
			op = k + 1
		case "moved_from":
			e.movedFrom = k + 1
		}
	}
	is := func(i int, kind tape.Kind) bool { return i >= 0 && t.Kind(i) == kind }
	switch {
	case !is(typ, tape.String):
		return e, "type must be a string"
	case !t.Equal(typ, abi.TypeRecord):
		return e, wrongType
	case !is(e.stream, tape.String) || t.Equal(e.stream, ""):
		return e, "stream must be a non-empty string"
	case !is(e.key, tape.String) && !is(e.key, tape.Array):
		return e, "key must be a string or an array of strings"
	case op >= 0 && (!is(op, tape.String) || !t.Equal(op, "delete")):
		return e, `op must be absent or "delete"`
	}
	e.delete = op >= 0
	switch {
	case e.movedFrom >= 0 && e.delete:
		return e, "moved_from is not of a deletion"
	case e.movedFrom >= 0 && !is(e.movedFrom, tape.String) && !is(e.movedFrom, tape.Array):
		return e, "moved_from must be a string or an array of strings"
	case !e.delete && !is(e.data, tape.Object):
		return e, "data must be an object"
	case e.delete && e.data >= 0 && !is(e.data, tape.Object) && !is(e.data, tape.Null):
		return e, "data of a deletion must be absent or an object"
	case e.emittedAt < 0 && e.delete: // RT-07.1 shows a deletion without it
	case !is(e.emittedAt, tape.String) || t.Equal(e.emittedAt, "") || len(t.Text(e.emittedAt)) > maxEmittedAt:
		return e, fmt.Sprintf("emitted_at must be a string of 1 to %d bytes", maxEmittedAt)
	}
	return e, ""
}
