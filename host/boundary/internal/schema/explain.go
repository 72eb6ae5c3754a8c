package schema

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/pdpp-host/pdpp-host/host/boundary/internal/tape"
)

// slow asks the library about value i of t.
func (s *Schema) slow(t *tape.Tape, i int) (failure *Failure, err error) {
	if t.Vast() {
		if at := firstVast(t, i); at >= 0 {
			// The library calculates exactly, which a number like 1e999999999 makes
			// too expensive.
			return &Failure{Path: s.pointerTo(t, i, at, ""), Keyword: "type"}, nil
		}
	}
	defer func() {
		switch recover().(type) {
		case nil:
		case spent:
			failure, err = nil, ErrTooCostly
		default:
			// The library, the schema and the value are all foreign: a fault of the
			// library ends the run, not the host.
			failure, err = nil, errFault
		}
	}()
	s.meter.left = budgetBase + budgetByte*len(t.Text(i))
	verr := &jsonschema.ValidationError{}
	ok := errors.As(s.library.Validate(value(t, i)), &verr)
	if !ok {
		return nil, nil
	}
	leaf := firstLeaf(verr)
	path := s.pointer(t, i, leaf.tokens)
	switch {
	case leaf.extra == "":
	case path == "" && plain(leaf.extra):
		path = "/" + leaf.extra
	default:
		path += "/*"
	}
	return &Failure{path, leaf.keyword, leaf.types}, nil
}

var errFault = errors.New("the schema cannot be validated")

func firstVast(t *tape.Tape, i int) int {
	for k := i; k < t.Next(i); k++ {
		if t.IsVast(k) {
			return k
		}
	}
	return -1
}

// leaf is one failure of the library's tree.
type leaf struct {
	tokens  []string // from the value on, the missing member included
	keyword string
	extra   string // the member that additionalProperties forbids
	types   string // for the keyword type: the found and the allowed types
}

// firstLeaf returns the first failure by place and keyword. The library's own order
// depends on Go maps and changes from run to run.
func firstLeaf(e *jsonschema.ValidationError) leaf {
	var best *leaf
	var walk func(*jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		switch e.ErrorKind.(type) {
		case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
			if len(e.Causes) > 0 {
				for _, cause := range e.Causes {
					walk(cause)
				}
				return
			}
		}
		l := leafOf(e)
		if best == nil || slices.Compare(l.tokens, best.tokens) < 0 ||
			slices.Equal(l.tokens, best.tokens) && l.keyword < best.keyword {
			best = &l
		}
	}
	walk(e)
	return *best
}

func leafOf(e *jsonschema.ValidationError) leaf {
	l := leaf{tokens: e.InstanceLocation}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		l.keyword = "required"
		if len(k.Missing) > 0 {
			l.tokens = append(slices.Clone(l.tokens), slices.Min(k.Missing))
		}
	case *kind.AdditionalProperties:
		l.keyword = "additionalProperties"
		if len(k.Properties) > 0 {
			l.extra = slices.Min(k.Properties)
		}
	case *kind.Type:
		l.keyword, l.types = "type", "found "+k.Got+", allowed "+strings.Join(k.Want, " or ")
	case *kind.FalseSchema:
		l.keyword = "false"
	case *kind.Not:
		l.keyword = "not"
	case *kind.RefCycle:
		l.keyword = "$ref"
	default:
		if path := e.ErrorKind.KeywordPath(); len(path) > 0 {
			l.keyword = path[0]
		}
	}
	return l
}

// pointer returns tokens as a JSON pointer, following them from value i. It includes a
// member's name only if the schema declares it.
func (s *Schema) pointer(t *tape.Tape, i int, tokens []string) string {
	shown := make([]string, 0, len(tokens))
	for _, token := range tokens {
		if i >= 0 && t.Kind(i) == tape.Array {
			shown = append(shown, token)
			i = element(t, i, token)
			continue
		}
		shown = append(shown, s.nameInPath(token))
		if i >= 0 && t.Kind(i) == tape.Object {
			i = t.Member(i, token)
		} else {
			i = -1
		}
	}
	return join(shown)
}

func element(t *tape.Tape, i int, token string) int {
	n, err := strconv.Atoi(token)
	if err != nil {
		return -1
	}
	for k, end := i+1, t.Next(i); k < end; k = t.Next(k) {
		if n == 0 {
			return k
		}
		n--
	}
	return -1
}

// pointerTo returns the JSON pointer from value root to value at below it, extended by
// the member missing if that is not empty.
func (s *Schema) pointerTo(t *tape.Tape, root, at int, missing string) string {
	var shown []string
	for i := root; i < at; {
		child, step := i+1, 1
		if t.Kind(i) == tape.Object {
			child, step = i+2, 2
		}
		n := 0
		for t.Next(child) <= at {
			child = t.Next(child) + step - 1
			n++
		}
		if step == 2 {
			shown = append(shown, s.nameInPath(string(t.Bytes(child-1, nil))))
		} else {
			shown = append(shown, strconv.Itoa(n))
		}
		i = child
	}
	if missing != "" {
		shown = append(shown, s.nameInPath(missing))
	}
	return join(shown)
}

func (s *Schema) nameInPath(name string) string {
	if s.names[name] {
		return name
	}
	return "*"
}

// maxPlain bounds the name of a field, in bytes.
const maxPlain = 40

// plain reports whether a name looks like that of a field: letters and underscores
// only, so no token does. Fields of a record belong to its connector, so a path
// includes such a name even if the schema does not declare it; further down names may
// be data.
func plain(name string) bool {
	return len(name) <= maxPlain && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// join returns tokens as a JSON pointer (RFC 6901).
func join(tokens []string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteByte('/')
		b.WriteString(pointerEscape.Replace(token))
	}
	return b.String()
}
