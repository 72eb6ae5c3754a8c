package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/abi"
)

// maxValues bounds the tree that a mebibyte of brackets can build.
const maxValues = 100_000

type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindString
	kindArray
	kindObject
)

func (k kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// node is one JSON value. A guest's bytes are not decoded into structs by
// encoding/json, because it matches names without regard to case: a manifest could
// then show one value to this check and another to the next reader.
type node struct {
	kind    kind
	truth   bool
	text    string // a string's value or a number's literal
	members []member
	items   []*node
	start   int // offset of an object's or array's text in the document
	end     int
}

type member struct {
	name  string
	value *node
}

// parseDocument reads one strict JSON value and nothing after it.
func parseDocument(raw []byte) (*node, *Problem) {
	switch {
	case len(raw) == 0:
		return nil, &Problem{"", "must be a JSON object, and is empty"}
	case len(raw) > abi.MaxManifestBytes:
		return nil, &Problem{"", "must be at most " + strconv.Itoa(abi.MaxManifestBytes) + " bytes long"}
	case !utf8.Valid(raw):
		return nil, &Problem{"", "must be valid UTF-8" + position(raw, firstInvalidUTF8(raw))}
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(raw, new(json.RawMessage)); errors.As(err, &syntax) {
		at := int(syntax.Offset)
		if at < len(raw) || !strings.HasPrefix(syntax.Error(), "unexpected end") {
			at-- // the offset of the offending byte
		}
		return nil, &Problem{"", "must be one JSON value with nothing after it" + position(raw, at) + ": " + syntax.Error()}
	}
	if at := loneSurrogate(raw); at >= 0 {
		return nil, &Problem{"", "must not escape half a surrogate pair" + position(raw, at)}
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	p := &parser{d: d}
	n := p.value("", 1)
	return n, p.problem
}

type parser struct {
	d       *json.Decoder
	values  int
	problem *Problem
}

func (p *parser) fail(path, rule string) {
	if p.problem == nil {
		p.problem = &Problem{path, rule}
	}
}

// value reads the next value. Its syntax is known to be valid, so only the further
// rules can fail; after a failure the tree is not used.
func (p *parser) value(path string, depth int) *node {
	token, err := p.d.Token()
	if err != nil {
		p.fail(path, "must be strict JSON")
		return nil
	}
	p.values++
	switch {
	case p.values > maxValues:
		p.fail("", "must hold at most "+strconv.Itoa(maxValues)+" values")
		return nil
	case depth > abi.MaxNesting:
		p.fail(path, "must not nest deeper than "+strconv.Itoa(abi.MaxNesting))
		return nil
	}
	switch v := token.(type) {
	case nil:
		return &node{kind: kindNull}
	case bool:
		return &node{kind: kindBool, truth: v}
	case json.Number:
		return &node{kind: kindNumber, text: v.String()}
	case string:
		return &node{kind: kindString, text: v}
	default:
		if token == json.Delim('{') {
			return p.object(path, depth)
		}
		return p.array(path, depth)
	}
}

func (p *parser) object(path string, depth int) *node {
	n := &node{kind: kindObject, start: int(p.d.InputOffset()) - 1}
	seen := make(map[string]struct{})
	for p.d.More() && p.problem == nil {
		token, err := p.d.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			p.fail(path, "must be strict JSON")
			return nil
		}
		at := join(path, name)
		if _, twice := seen[name]; twice {
			p.fail(at, "must not be given twice")
			return nil
		}
		seen[name] = struct{}{}
		n.members = append(n.members, member{name, p.value(at, depth+1)})
	}
	return p.finish(n, path)
}

func (p *parser) array(path string, depth int) *node {
	n := &node{kind: kindArray, start: int(p.d.InputOffset()) - 1}
	for p.d.More() && p.problem == nil {
		n.items = append(n.items, p.value(index(path, len(n.items)), depth+1))
	}
	return p.finish(n, path)
}

func (p *parser) finish(n *node, path string) *node {
	if p.problem != nil {
		return nil
	}
	if _, err := p.d.Token(); err != nil {
		p.fail(path, "must be strict JSON")
		return nil
	}
	n.end = int(p.d.InputOffset())
	return n
}

// position describes the position of a byte in a text: its line, and its column in
// code points, both from 1.
func position(raw []byte, at int) string {
	before := raw[:at]
	line := bytes.Count(before, []byte{'\n'}) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return " (line " + strconv.Itoa(line) + ", column " + strconv.Itoa(column) + ")"
}

// firstInvalidUTF8 returns the position of the first byte that is not UTF-8.
func firstInvalidUTF8(raw []byte) int {
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRune(raw[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(raw)
}

// loneSurrogate returns the position of an escaped half of a surrogate pair in valid
// JSON, or -1. encoding/json would silently turn it into U+FFFD and make two names
// equal.
func loneSurrogate(raw []byte) int {
	const escape = len(`\u0000`)
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		if raw[i+1] != 'u' {
			i++
			continue
		}
		switch high := codeUnit(raw[i:]); {
		case high >= 0xDC00 && high <= 0xDFFF:
			return i
		case high >= 0xD800 && high <= 0xDBFF:
			if low := codeUnit(raw[i+escape:]); low < 0xDC00 || low > 0xDFFF {
				return i
			}
			i += escape
		}
		i += escape - 1
	}
	return -1
}

// codeUnit returns the UTF-16 code unit whose escape begins at b, or 0.
func codeUnit(b []byte) uint64 {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0
	}
	u, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	if err != nil {
		return 0
	}
	return u
}
