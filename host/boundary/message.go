package boundary

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/boundary/internal/tape"
)

// message is one message other than a RECORD, while it is read. Its text is a copy of
// the guest's, so the values that are read from it may be kept.
type message struct {
	tape tape.Tape
	typ  string
	code abi.Code // code of a message with a wrong shape
}

// openMessage reads the text of a message whose type must be among types.
func openMessage(payload []byte, limit int, code abi.Code, types ...string) (*message, error) {
	what := "a " + types[0]
	if len(payload) > limit {
		return nil, tooLarge(what, len(payload), limit)
	}
	m := &message{tape: tape.Tape{Depth: abi.MaxNesting}, code: code}
	if err := m.tape.Scan(bytes.Clone(payload)); err != nil {
		return nil, refused(what, err)
	}
	if m.tape.Kind(tape.Root) != tape.Object {
		return nil, violation(abi.CodeEnvelope, what+" must be an object", "see the ABI reference")
	}
	i := m.tape.Member(tape.Root, "type")
	if i < 0 || m.tape.Kind(i) != tape.String {
		return nil, violation(abi.CodeEnvelope, what+" has no type", "see the ABI reference")
	}
	m.typ = m.tape.String(i)
	if !slices.Contains(types, m.typ) {
		return nil, violation(abi.CodeMessageType, "expected "+strings.Join(types, " or ")+", got type "+quote(m.typ),
			"send each message with its own call")
	}
	return m, nil
}

// field is one member that a message defines.
type field struct {
	name     string
	required bool
	// read reads the value and returns the rule that it breaks, or "".
	read func(i int) string
}

// read checks the outermost object against fields. If closed is set it allows no other
// name.
func (m *message) read(closed bool, fields ...field) error {
	fields = append(fields, field{name: "type", read: func(int) string { return "" }})
	if rule := m.members(tape.Root, closed, fields); rule != "" {
		return violation(m.code, m.typ+": "+rule, "see "+m.typ+" in the ABI reference")
	}
	return nil
}

// members checks object i against fields. A null counts as an absent member if the
// field is optional.
func (m *message) members(i int, closed bool, fields []field) string {
	t := &m.tape
	seen := make([]bool, len(fields))
	for k, end := i+1, t.Next(i); k < end; k = t.Next(k + 1) {
		n := slices.IndexFunc(fields, func(f field) bool { return t.Equal(k, f.name) })
		switch {
		case n < 0 && closed:
			return "has a member that is not defined"
		case n < 0:
			continue
		case !fields[n].required && t.Kind(k+1) == tape.Null:
			continue
		}
		seen[n] = true
		if rule := fields[n].read(k + 1); rule != "" {
			return fields[n].name + " " + rule
		}
	}
	for n, f := range fields {
		if f.required && !seen[n] {
			return f.name + " is missing"
		}
	}
	return ""
}

// object returns a reader of a nested object.
func (m *message) object(closed bool, fields ...field) func(int) string {
	return func(i int) string {
		if m.tape.Kind(i) != tape.Object {
			return "must be an object"
		}
		if rule := m.members(i, closed, fields); rule != "" {
			return "is wrong: " + rule
		}
		return ""
	}
}

// text returns a reader of a string, which may be empty.
func (m *message) text(dst *string) func(int) string {
	return func(i int) string {
		if m.tape.Kind(i) != tape.String {
			return "must be a string"
		}
		*dst = m.tape.String(i)
		return ""
	}
}

// word returns a reader of a string that is not empty.
func (m *message) word(dst *string) func(int) string {
	return func(i int) string {
		if m.text(dst)(i) != "" || *dst == "" {
			return "must be a non-empty string"
		}
		return ""
	}
}

// column returns a reader, m.text or m.word, of a string that the store saves or looks
// up as plain text, not inside JSON.
func column(dst *string, read func(*string) func(int) string) func(int) string {
	return func(i int) string {
		if rule := read(dst)(i); rule != "" {
			return rule
		}
		if strings.IndexByte(*dst, 0) >= 0 {
			return holdsNUL
		}
		return ""
	}
}

// holdsNUL is the rule that a text breaks if no column can hold it: text columns of
// databases end at a NUL.
const holdsNUL = "holds a NUL character"

// oneOf returns a reader of a word from a closed set.
func (m *message) oneOf(dst *string, set ...string) func(int) string {
	return func(i int) string {
		if m.text(dst)(i) != "" || !slices.Contains(set, *dst) {
			return "must be one of " + strings.Join(set, ", ")
		}
		return ""
	}
}

func (m *message) boolean(dst *bool) func(int) string {
	return func(i int) string {
		kind := m.tape.Kind(i)
		*dst = kind == tape.True
		if kind != tape.True && kind != tape.False {
			return "must be true or false"
		}
		return ""
	}
}

// count returns a reader of an integer from 0 to 2^53.
func (m *message) count(dst *int64) func(int) string {
	return func(i int) string {
		ok := m.tape.Kind(i) == tape.Number
		if ok {
			*dst, ok = m.tape.Int64(i)
		}
		if !ok || *dst < 0 || *dst > 1<<53 {
			return "must be an integer from 0 to 2^53"
		}
		return ""
	}
}

// optionalCount is count for a field in which absence differs from zero.
func (m *message) optionalCount(dst **int64) func(int) string {
	return func(i int) string {
		n := new(int64)
		*dst = n
		return m.count(n)(i)
	}
}

func (m *message) positive(dst **float64) func(int) string {
	return func(i int) string {
		if m.tape.Kind(i) == tape.Number {
			f, err := strconv.ParseFloat(string(m.tape.Text(i)), 64)
			if err == nil && f > 0 {
				*dst = &f
				return ""
			}
		}
		return "must be a number above 0"
	}
}

// raw returns a reader that stores any value as its text.
func (m *message) raw(dst *abi.Raw) func(int) string {
	return func(i int) string {
		*dst = m.tape.Text(i)
		return ""
	}
}

// rawObject returns a reader that stores an object as its text.
func (m *message) rawObject(dst *abi.Raw) func(int) string {
	return func(i int) string {
		if m.tape.Kind(i) != tape.Object {
			return "must be an object"
		}
		return m.raw(dst)(i)
	}
}

// words returns a reader of an array of strings.
func (m *message) words(dst *[]string) func(int) string {
	return func(i int) string {
		t := &m.tape
		if t.Kind(i) != tape.Array {
			return "must be an array of strings"
		}
		for k, end := i+1, t.Next(i); k < end; k = t.Next(k) {
			if t.Kind(k) != tape.String {
				return "must be an array of strings"
			}
			*dst = append(*dst, t.String(k))
		}
		return ""
	}
}

// key returns a reader of one record key, stored as its text.
func (m *message) key(dst *abi.Raw) func(int) string {
	return func(i int) string {
		if _, rule := appendKey(nil, &m.tape, i); rule != "" {
			return rule
		}
		return m.raw(dst)(i)
	}
}

// hint returns a reader of a recovery_hint: an action, or {action, retryable?}.
func (m *message) hint(dst *abi.Raw) func(int) string {
	return func(i int) string {
		var action string
		var retryable bool
		read := m.oneOf(&action, abi.RecoveryActions...)
		if m.tape.Kind(i) != tape.String {
			read = m.object(true,
				field{"action", true, read},
				field{"retryable", false, m.boolean(&retryable)})
		}
		if rule := read(i); rule != "" {
			return rule
		}
		return m.raw(dst)(i)
	}
}

// inScope returns a violation for a stream that this run does not collect.
func (g *Gate) inScope(m *message, stream string) error {
	for i := range g.streams {
		if g.streams[i].name == stream {
			return nil
		}
	}
	return outOfScope(fmt.Sprintf("a %s", m.typ), stream)
}

// declared returns a violation for a stream that the manifest does not declare.
// Informational messages may name a stream outside this run's scope.
func (g *Gate) declared(m *message, stream string) error {
	if stream == "" || g.manifest.Stream(stream) != nil {
		return nil
	}
	return violation(abi.CodeStreamOutOfScope, fmt.Sprintf("a %s names stream %s, which the manifest does not declare", m.typ, quote(stream)),
		"name a stream of the manifest, or none")
}
