package manifest

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Text limits, in bytes.
const (
	maxName     = 64   // identifiers
	maxLabel    = 256  // one line for an owner
	maxSentence = 4096 // a rationale, a description, a URL
)

type checker struct {
	raw      []byte
	problems []Problem
}

// place is one position in a manifest: a value, or its absence (n is nil). Its methods
// read the value and record the rule that it breaks. They return the zero value in
// that case, so a reader can continue and find the next problem.
type place struct {
	c    *checker
	n    *node
	path string
	name string // the member's name; "" for an item of an array
}

func (p place) fail(rule string) {
	if len(p.c.problems) < maxProblems {
		p.c.problems = append(p.c.problems, Problem{p.path, rule})
	}
}

func (p place) present() bool { return p.n != nil }

// member returns the place of a member, present or not.
func (p place) member(name string) place {
	q := place{c: p.c, path: join(p.path, name), name: name}
	if p.n != nil && p.n.kind == kindObject {
		for i := range p.n.members {
			if p.n.members[i].name == name {
				q.n = p.n.members[i].value
			}
		}
	}
	return q
}

// is reports whether the value is present and has kind k. It records a problem if the
// value has another kind.
func (p place) is(k kind) bool {
	if p.n == nil {
		return false
	}
	if p.n.kind != k {
		p.fail("must be " + k.String() + ", and is " + p.n.kind.String())
		return false
	}
	return true
}

// require records a problem if the value is absent.
func (p place) require() bool {
	if p.n == nil {
		p.fail("is required")
	}
	return p.n != nil
}

// requireItems records a problem if the array is absent or empty.
func (p place) requireItems() {
	if p.require() {
		p.notEmpty()
	}
}

// notEmpty records a problem if the array is empty.
func (p place) notEmpty() {
	if p.n != nil && p.n.kind == kindArray && len(p.n.items) == 0 {
		p.fail("must not be empty")
	}
}

// refuseOthers records a problem for each member of an object that is not one of keys. of
// names the object in the problem, as in "a refresh policy".
func (p place) refuseOthers(of string, keys ...string) {
	for _, m := range p.n.members {
		if slices.Contains(keys, m.name) {
			continue
		}
		rule := "is not a key of " + of + " (" + strings.Join(keys, ", ") + ")"
		if nearest := abi.Nearest(m.name, keys); nearest != "" {
			rule = "is not a key of " + of + ": did you mean " + nearest + "?"
		}
		p.member(m.name).fail(rule)
	}
}

func (p place) object() bool { return p.is(kindObject) }

func (p place) boolean() bool { return p.is(kindBool) && p.n.truth }

// optionalBoolean returns nil for an absent value.
func (p place) optionalBoolean() *bool {
	if !p.is(kindBool) {
		return nil
	}
	return &p.n.truth
}

// count reads a whole number from 1 to most, written without a fraction or an
// exponent.
func (p place) count(most int64) *int64 {
	if !p.is(kindNumber) {
		return nil
	}
	v, err := strconv.ParseInt(p.n.text, 10, 64)
	if err != nil || v < 1 || v > most {
		p.fail("must be a whole number from 1 to " + strconv.FormatInt(most, 10))
		return nil
	}
	return &v
}

// text reads one line: a string of 1 to limit bytes that is not blank and holds no
// character that could rearrange an owner's display.
func (p place) text(limit int) string {
	s := p.prose(limit)
	if s != "" && strings.ContainsAny(s, "\n\t") {
		p.fail("must be one line")
		return ""
	}
	return s
}

// prose reads a text of any number of lines.
func (p place) prose(limit int) string {
	if !p.is(kindString) {
		return ""
	}
	switch s := p.n.text; {
	case strings.TrimSpace(s) == "":
		p.fail("must not be empty")
	case !IsVisible(s):
		p.fail("must hold a letter, a digit or a sign that can be seen")
	case len(s) > limit:
		p.fail("must be at most " + strconv.Itoa(limit) + " bytes long")
	case strings.ContainsFunc(s, unprintable):
		p.fail("must not hold control characters")
	case IsPiled(s):
		p.fail("must have at most four marks on a letter, and none before the first one")
	default:
		return s
	}
	return ""
}

// unprintable reports control characters, a terminal's among them, and marks that
// reorder or break a line (Unicode's Bidi_Control, Zl and Zp).
func unprintable(r rune) bool {
	return r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}

// matching reads a text that ok accepts; rule describes the condition that ok tests.
func (p place) matching(limit int, ok func(string) bool, rule string) string {
	s := p.text(limit)
	if s != "" && !ok(s) {
		p.fail(rule)
		return ""
	}
	return s
}

// oneOf reads a string from a closed set.
func (p place) oneOf(set ...string) string {
	if p.n == nil {
		return ""
	}
	if p.n.kind != kindString || !slices.Contains(set, p.n.text) {
		p.fail("must be one of " + strings.Join(set, ", "))
		return ""
	}
	return p.n.text
}

// list returns the places of an array's items, at most limit of them.
func (p place) list(limit int) []place {
	if !p.is(kindArray) {
		return nil
	}
	if len(p.n.items) > limit {
		p.fail("must have at most " + strconv.Itoa(limit) + " items")
		return nil
	}
	places := make([]place, len(p.n.items))
	for i, n := range p.n.items {
		places[i] = place{c: p.c, n: n, path: index(p.path, i)}
	}
	return places
}

// members returns the places of an open map's values by name, in document
// order, at most limit of them.
func (p place) members(limit int) []place {
	if !p.object() {
		return nil
	}
	if len(p.n.members) > limit {
		p.fail("must have at most " + strconv.Itoa(limit) + " entries")
		return nil
	}
	places := make([]place, len(p.n.members))
	for i, m := range p.n.members {
		places[i] = place{c: p.c, n: m.value, path: join(p.path, m.name), name: m.name}
	}
	return places
}

// texts reads an array of distinct strings, each with read.
func (p place) texts(limit int, read func(place) string) []string {
	var out []string
	for _, item := range p.list(limit) {
		switch s := read(item); {
		case s == "":
		case slices.Contains(out, s):
			item.fail("must not be given twice")
		default:
			out = append(out, s)
		}
	}
	return out
}

// join appends a member's name to a path. The name comes from the guest, so any name
// other than a plain word is quoted and shortened.
func join(path, name string) string {
	if !plain(name) {
		return path + "[" + quote(name) + "]"
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// quote returns a guest's word in a form that is safe to print.
func quote(s string) string {
	if len(s) > maxName {
		s = strings.ToValidUTF8(s[:maxName], "") + "..."
	}
	return strconv.QuoteToASCII(s)
}

func plain(s string) bool {
	if s == "" || len(s) > maxName {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !lower(c) && !upper(c) && !digit(c) && c != '_' && c != '-' {
			return false
		}
	}
	return true
}
