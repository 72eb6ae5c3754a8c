package records

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// filterFlags say which records of a stream are listed, as typed.
type filterFlags struct {
	where        []string
	since, until string
}

// filter is what a record has to keep to, all of it.
type filter struct {
	conditions   []condition
	since, until time.Time
	timeField    string // that the stream's time stands in; "": none
}

// condition compares one field with a value.
type condition struct{ field, operator, value string }

// operators are those of a condition; one that another begins with comes after it.
var operators = []string{"!=", ">=", "<=", "=", ">", "<"}

// read returns the filter that was typed; nil when none was.
func (f *filterFlags) read(now time.Time) (*filter, error) {
	if len(f.where) == 0 && f.since == "" && f.until == "" {
		return nil, nil //nolint:nilnil // no filter is no error
	}
	out := &filter{}
	for _, text := range f.where {
		at := strings.IndexAny(text, "!=<>")
		c := condition{}
		for _, op := range operators {
			if at > 0 && strings.HasPrefix(text[at:], op) {
				c = condition{text[:at], op, text[at+len(op):]}
				break
			}
		}
		if c.operator == "" {
			return nil, syntax.Usage("--where "+strconv.Quote(text)+" is no comparison", "write FIELD=VALUE, or with !=, <, <=, > or >=; quote it for the shell")
		}
		out.conditions = append(out.conditions, c)
	}
	for _, x := range []struct {
		flag, text string
		to         *time.Time
	}{{"--since", f.since, &out.since}, {"--until", f.until, &out.until}} {
		if x.text == "" {
			continue
		}
		at, err := syntax.Time(x.flag, x.text, now)
		if err != nil {
			return nil, err
		}
		*x.to = at
	}
	return out, nil
}

// readTimeField takes the field of the stream's time from what its manifest says; nil: nothing.
func (f *filter) readTimeField(declared *abi.Stream) {
	if declared != nil {
		f.timeField = declared.ConsentTimeField
	}
}

// check refuses a field that the stream does not declare. It is asked when nothing
// matches: a record may have more fields than are declared.
func (f *filter) check(declared *abi.Stream) error {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if declared == nil {
		return nil
	}
	if err := json.Unmarshal(declared.Schema, &schema); err != nil || len(schema.Properties) == 0 {
		return err
	}
	fields := slices.Sorted(maps.Keys(schema.Properties))
	for _, c := range f.conditions {
		first, _, _ := strings.Cut(c.field, ".")
		if slices.Contains(fields, c.field) || slices.Contains(fields, first) {
			continue
		}
		hint := "its fields are: " + strings.Join(fields, ", ")
		if n := abi.Nearest(c.field, fields); n != "" {
			hint = fmt.Sprintf("did you mean %q? %s", n, hint)
		}
		return syntax.Usage(fmt.Sprintf("--where: a record of stream %s has no field %q", declared.Name, c.field), hint)
	}
	return nil
}

// matches reports whether a record keeps to the filter. One without a time of its own,
// such as a deleted one, has that at which it was collected.
func (f *filter) matches(r *owner.Record) bool {
	var data map[string]any
	decoder := json.NewDecoder(strings.NewReader(string(r.Data)))
	decoder.UseNumber() // an id of twenty digits is compared whole
	if len(r.Data) > 0 && decoder.Decode(&data) != nil {
		return false
	}
	for _, c := range f.conditions {
		if !c.holds(data) {
			return false
		}
	}
	if f.since.IsZero() && f.until.IsZero() {
		return true
	}
	at, ok := syntax.Instant(written(fieldOf(data, f.timeField)))
	if !ok {
		at, ok = syntax.Instant(r.EmittedAt)
	}
	return ok && !at.Before(f.since) && (f.until.IsZero() || at.Before(f.until))
}

// fieldOf returns the value at a field, or at a path of members with dots between them.
func fieldOf(data map[string]any, field string) any {
	if v, ok := data[field]; ok {
		return v
	}
	first, rest, nested := strings.Cut(field, ".")
	if inner, ok := data[first].(map[string]any); nested && ok {
		return fieldOf(inner, rest)
	}
	return nil
}

// holds compares numbers as such and everything else as text. A field that is not
// there is null, which is smaller and larger than nothing.
func (c condition) holds(data map[string]any) bool {
	v := fieldOf(data, c.field)
	text := written(v)
	switch c.operator {
	case "=":
		return text == c.value || sameNumber(v, c.value)
	case "!=":
		return text != c.value && !sameNumber(v, c.value)
	}
	if v == nil {
		return false
	}
	order := strings.Compare(text, c.value)
	if a, b, ok := numbers(v, c.value); ok {
		order = cmp.Compare(a, b)
	}
	switch c.operator {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

func numbers(v any, text string) (a, b float64, ok bool) {
	n, is := v.(json.Number)
	if !is {
		return 0, 0, false
	}
	a, errA := n.Float64()
	b, errB := strconv.ParseFloat(text, 64)
	return a, b, errA == nil && errB == nil
}

// sameNumber compares by value only what is short enough to be exact.
func sameNumber(v any, text string) bool {
	a, b, ok := numbers(v, text)
	return ok && a == b && a > -1<<53 && a < 1<<53
}

// written is a value as an owner types it: a string bare, anything else as JSON.
func written(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	text, err := json.Marshal(v)
	if err != nil {
		return "" // it was decoded from JSON
	}
	return string(text)
}
