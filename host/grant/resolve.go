package grant

import (
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/declaration"
)

// Declared is what an owner has of a source by one declaration.
type Declared struct {
	declaration.Source

	Digest      string // of Manifest
	Manifest    []byte
	Streams     []declaration.Stream
	Connections []Connection
}

// Connection is one account of a source.
type Connection struct {
	ID, Name string
	Module   string // the hash of the module that its owner accepted
}

// stream returns the declaration of a stream; nil: there is none.
func (d *Declared) stream(name string) *declaration.Stream {
	if i := slices.IndexFunc(d.Streams, func(s declaration.Stream) bool { return s.Name == name }); i >= 0 {
		return &d.Streams[i]
	}
	return nil
}

func (d *Declared) connection(name string) *Connection {
	if i := slices.IndexFunc(d.Connections, func(c Connection) bool { return c.ID == name || c.Name == name }); i >= 0 {
		return &d.Connections[i]
	}
	return nil
}

// Stream is a stream of a grant, with all that bounds it (RD-33).
type Stream struct {
	Name           string          `json:"name"`
	InstanceIDs    []string        `json:"instance_ids"`
	Fields         []string        `json:"fields"`
	TimeConstraint *TimeConstraint `json:"time_constraint,omitempty"`
	Resources      []string        `json:"resources,omitempty"`
}

// TimeConstraint bounds records by a field of theirs.
type TimeConstraint struct {
	Field string `json:"field"`
	TimeRange
}

// wanted is a stream that is asked for, held against a declaration.
type wanted struct {
	Stream

	optional bool
	declared *declaration.Stream
}

// Check refuses details that nothing that the owner has could meet. Its errors are Invalid,
// and are for the owner alone: they tell what there is.
func Check(d *Details, have []Declared) error {
	err := invalid("names no source of this host", 0, "source", "id")
	all := sourcesOf(d.Source.ID, have)
	for i := range all {
		if _, err = d.want(&all[i]); err == nil {
			break
		}
	}
	if err != nil {
		return err
	}
	for i := range d.Streams {
		for n, id := range d.Streams[i].InstanceIDs {
			if !slices.ContainsFunc(all, func(s Declared) bool { return s.connection(id) != nil && s.connection(id).ID == id }) {
				return invalid("is no connection of the source", 0, "streams", i, "instance_ids", n)
			}
		}
	}
	return nil
}

// sourcesOf returns the declarations of a source of which there is a connection, by the address that its manifest has or,
// where none has it, by any other of its names.
func sourcesOf(name string, have []Declared) []Declared {
	there := slices.DeleteFunc(slices.Clone(have), func(d Declared) bool { return len(d.Connections) == 0 })
	id := name
	if !slices.ContainsFunc(there, func(d Declared) bool { return d.ID == name }) {
		if i := slices.IndexFunc(there, func(d Declared) bool { return abi.SameConnector(d.Key, name) }); i >= 0 {
			id = there[i].ID
		}
	}
	return slices.DeleteFunc(there, func(d Declared) bool { return d.ID != id })
}

// want makes presets, *, views and left-out fields explicit (RD-32.2, RD-32.3).
func (d *Details) want(by *Declared) ([]wanted, error) {
	if d.SelectionPreset == "" {
		return wantAll(d.Streams, by)
	}
	all, err := wantAll(preset(by, d.SelectionPreset), by)
	if err != nil { // the manifest wrote it, and not the client
		return nil, invalid("is no preset of the source", 0, "selection_preset")
	}
	return all, nil
}

// preset are the streams of a preset, as a client could ask for them. One that has a part which
// is not known here is none, since without that part it would give more; nor is one that names
// connections, which are the owner's and not the source's.
func preset(by *Declared, id string) []Asked {
	var all []Asked
	if json.Unmarshal(declaration.Preset(by.Manifest, id), &all, json.RejectUnknownMembers(true)) != nil || checkStreams(all, 0) != nil ||
		slices.ContainsFunc(all, func(s Asked) bool { return s.InstanceIDs != nil }) {
		return nil
	}
	return all
}

func wantAll(streams []Asked, by *Declared) ([]wanted, error) {
	var all []wanted
	for i := range streams {
		asked := &streams[i]
		if asked.Name == every {
			for k := range by.Streams {
				if s := &by.Streams[k]; len(s.Fields) > 0 {
					all = append(all, wanted{Stream{Name: s.Name, Fields: allFields(s), InstanceIDs: asked.InstanceIDs}, asked.Necessity == optional, s})
				}
			}
			continue
		}
		w, err := asked.want(by, i)
		if err != nil {
			return nil, err
		}
		all = append(all, *w)
	}
	if len(all) == 0 {
		return nil, invalid("leaves no stream", 0, "streams")
	}
	return all, nil
}

func (s *Asked) want(by *Declared, i int) (*wanted, error) {
	at := func(name ...any) []any { return append([]any{0, "streams", i}, name...) }
	declared := by.stream(s.Name)
	if declared == nil || len(declared.Fields) == 0 {
		return nil, invalid("is no stream of the source", at("name")...)
	}
	w := &wanted{Stream{Name: s.Name, InstanceIDs: s.InstanceIDs}, s.Necessity == optional, declared}
	fields := s.Fields
	if s.View != "" {
		n := slices.IndexFunc(declared.Views, func(v declaration.View) bool { return v.ID == s.View })
		if n < 0 {
			return nil, invalid("is no view of the stream", at("view")...)
		}
		fields = declared.Views[n].Fields
	}
	if s.Fields != nil && declared.WholeRecords {
		return nil, invalid("cannot be chosen of this stream", at("fields")...)
	}
	for n, name := range s.Fields {
		if declared.Field(name) == nil {
			return nil, invalid("is no field of the stream", at("fields", n)...)
		}
	}
	if w.Fields = chosenFields(declared, fields); fields == nil {
		w.Fields = allFields(declared)
	}
	if len(w.Fields) == 0 { // the fields of a view that are no fields
		return nil, invalid("has no field of the stream", at("view")...)
	}
	if t := s.TimeRange; t != nil {
		if !hasTime(declared) {
			return nil, invalid("cannot be chosen of this stream", at("time_range")...)
		}
		w.TimeConstraint = &TimeConstraint{declared.ConsentTimeField, *t}
	}
	if s.Resources != nil && declared.EveryRecord {
		return nil, invalid("cannot be chosen of this stream", at("resources")...)
	}
	for n, value := range s.Resources {
		key, ok := keyOf(value, len(declared.PrimaryKey))
		if !ok {
			return nil, invalid("is no key of the stream", at("resources", n)...)
		}
		if slices.Contains(w.Resources, key) {
			return nil, invalid("stands twice", at("resources", n)...)
		}
		w.Resources = append(w.Resources, key)
	}
	return w, nil
}

// hasTime reports whether records can be bounded by a time of their own.
func hasTime(s *declaration.Stream) bool {
	return s.TypeOf(s.ConsentTimeField).IsTime()
}

func allFields(s *declaration.Stream) []string {
	all := make([]string, len(s.Fields))
	for i := range s.Fields {
		all[i] = s.Fields[i].Name
	}
	return all
}

// chosenFields are the fields of a list and the required ones, in the schema's order.
func chosenFields(s *declaration.Stream, list []string) []string {
	return slices.DeleteFunc(allFields(s), func(name string) bool { return !slices.Contains(list, name) && !s.Field(name).Required })
}

// keyOf is the canonical text of a key with so many parts: of one the part itself, of several
// the array of them.
func keyOf(value any, parts int) (string, bool) {
	text, is := value.(string)
	if parts < 2 { //nolint:mnd // a compound key has two at least
		return text, is && text != ""
	}
	var all []string
	if is { // the array, written as its canonical text
		if json.Unmarshal([]byte(text), &all) != nil {
			return "", false
		}
	}
	list, _ := value.([]any)
	for _, one := range list {
		part, ok := one.(string)
		if !ok {
			return "", false
		}
		all = append(all, part)
	}
	key, err := json.Marshal(all)
	return string(key), err == nil && len(all) == parts
}

func wrongChoice(message, hint string) error { return abi.NewError(CodeChoice, message, hint) }
