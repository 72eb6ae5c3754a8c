package public

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Drift is a field whose type changed from one record to a later one. Its records are taken all the same: a reader that
// relies on the type has to know of it.
type Drift struct {
	Stream string    `json:"stream"`
	Field  string    `json:"field"`
	Known  []string  `json:"known"` // the types before the first change
	Seen   []string  `json:"seen"`  // the types since that it did not have then
	At     time.Time `json:"at"`    // of the last change
}

// maxDrift bounds the fields of which a change is remembered. Of more, those that changed last are.
const maxDrift = 64

// String says which field has which type.
func (d *Drift) String() string {
	return fmt.Sprintf("field %q of stream %q has another type than before: %s, where it was %s", d.Field, d.Stream, strings.Join(d.Seen, " and "), strings.Join(d.Known, " or "))
}

// drifted remembers that a field, known with some types, was seen with another one.
func (m *Manifest) drifted(stream, field string, known []string, seen string, at time.Time) {
	d := Drift{Stream: stream, Field: field, Known: slices.DeleteFunc(slices.Clone(known), func(t string) bool { return t == null })}
	if i := slices.IndexFunc(m.Drift, func(o Drift) bool { return o.Stream == stream && o.Field == field }); i >= 0 {
		d = m.Drift[i]
		m.Drift = slices.Delete(m.Drift, i, i+1)
	}
	d.Seen, d.At = append(slices.Clone(d.Seen), seen), at.UTC().Truncate(time.Second)
	m.Drift = append(m.Drift, d)
	if more := len(m.Drift) - maxDrift; more > 0 {
		m.Drift = slices.Delete(m.Drift, 0, more)
	}
}

// DriftIn returns the fields whose type changed, by the text of a manifest, those that changed last first. A connector's
// own manifest has none.
func DriftIn(raw []byte) []Drift {
	m := Read(raw)
	if m == nil {
		return nil
	}
	slices.Reverse(m.Drift)
	return m.Drift
}
