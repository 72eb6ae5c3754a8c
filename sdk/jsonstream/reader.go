package jsonstream

import (
	"io"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// The codes of this package's errors. They are the connector's own.
const (
	// CodeSyntax: the text is not JSON.
	CodeSyntax abi.Code = "jsonstream.syntax"
	// CodeTruncated: the text ends in the middle.
	CodeTruncated abi.Code = "jsonstream.truncated"
	// CodeTooDeep: a value nests deeper than jsonvalue.MaxDepth, and was passed.
	CodeTooDeep abi.Code = "jsonstream.too_deep"
)

// ValueBytes is how long a value may be.
const ValueBytes = 4 << 20

// Reader walks one text.
type Reader struct {
	in    io.Reader
	buf   []byte
	held  []byte // not looked at yet
	next  []byte // behind held
	at    int64  // of held in the text
	inErr error

	salvage
	elements

	paths  [][]string
	starts []Start
	open   []container
	begun  bool // the outermost value was met
	first  byte // of it

	value     []byte
	doc       jsonvalue.Doc
	found     jsonvalue.Value
	path      int
	oversized int64
	halves    int64
	faults    int64
	fault     *abi.Error // the first that the walk went on behind
	err       error
}

// container is an array or an object that the walk is inside.
type container struct {
	object bool
	filled bool   // a value stands in it already
	paths  uint32 // those that lead to it, as bits
}

// New returns a reader of the values at the paths, at most 32. No path may begin another.
func New(in io.Reader, paths ...string) *Reader {
	r := &Reader{in: in, buf: make([]byte, 64<<10)}
	for _, p := range paths[:min(len(paths), 32)] {
		r.paths = append(r.paths, strings.Split(p, "."))
	}
	return r
}

// SkipPast passes everything up to c, as before JSON in a script, and reports whether c
// came within 4 KiB.
func (r *Reader) SkipPast(c byte) bool {
	for range 4096 {
		got, ok := r.take()
		if !ok || got == c {
			return ok
		}
	}
	return false
}

// Next goes on to the next value at a path, and reports whether there is one.
func (r *Reader) Next() bool {
	for r.err == nil || r.mend() {
		if r.sought {
			if r.enter('{', r.leading(r.open[len(r.open)-1].paths, "*")) {
				return true
			}
			continue
		}
		c, ok := r.space()
		if len(r.open) == 0 {
			switch {
			case !r.begun && ok && c == '{' && r.beginsHeadless():
				continue
			case !r.begun && ok:
				r.begun, r.first = true, c
				if r.enter(c, 1<<len(r.paths)-1) {
					return true
				}
				continue
			case !r.begun:
				r.end()
			case ok && c == ';': // as behind JSON in a script
				r.pass()
				continue
			case ok:
				r.fail("the end was expected")
				continue
			case r.inErr != io.EOF: //nolint:errorlint // io.EOF is never wrapped
				r.err = r.inErr
			}
			return false
		}
		if !ok {
			r.end()
			return false
		}
		if r.step(c) {
			return true
		}
	}
	return false
}

// step goes on inside the innermost container, from the byte at hand, and reports whether a
// value was found.
func (r *Reader) step(c byte) bool {
	in := &r.open[len(r.open)-1]
	if c == ']' && !in.object || c == '}' && in.object {
		r.leave()
		return false
	}
	if in.filled && !r.comma(in.object, &c) {
		return false
	}
	first := !in.filled
	in.filled = true
	wanted := in.paths
	if in.object {
		name, ok := r.name(c)
		if !ok {
			return false
		}
		if first {
			r.learnName(name, len(r.open)-2)
		}
		wanted = r.leading(wanted, name)
		if c, _ = r.space(); c != ':' {
			r.fail("a colon was expected")
			return false
		}
		r.pass()
		c, _ = r.space()
	} else {
		wanted = r.leading(wanted, "*")
	}
	return r.enter(c, wanted)
}

// comma passes the comma behind an element, or what stands in its place in an array, and reports
// whether another element may begin at c.
func (r *Reader) comma(object bool, c *byte) bool {
	switch {
	case *c == ',':
	case !object:
		if !r.resume(c) {
			return false // the array ends here, or the text does
		}
	default:
		r.fail("a comma or a closing bracket was expected")
		return false
	}
	if *c != ',' {
		return true
	}
	r.pass()
	if *c, _ = r.space(); r.err != nil {
		return false
	}
	if *c == ']' && !object {
		r.spoil("a value was expected")
		return false
	}
	return true
}

// resume passes what stands between two elements of an array and is no comma, up to a byte with
// which another one may begin, and reports whether there is one.
func (r *Reader) resume(c *byte) bool {
	r.spoil("a comma or a closing bracket was expected")
	for {
		switch *c {
		case ',', '{', '[':
			return true
		case ']':
			return false
		}
		r.pass()
		if !r.fill() {
			return false
		}
		*c = r.held[0]
	}
}

// spoil notes a fault that the walk goes on behind.
func (r *Reader) spoil(what string) { r.spoilBy(r.syntax(what)) }

func (r *Reader) spoilBy(fault *abi.Error) {
	if r.faults++; r.fault == nil {
		r.fault = fault
	}
}

// isDeep reports whether a value is JSON as far as it was read, and nests too deep.
func isDeep(err error) bool {
	e, is := err.(*jsonvalue.SyntaxError) //nolint:errorlint // as Parse makes it; errors.As needs reflection
	return is && e.Deep
}

// leading returns those of the paths that go on with the name.
func (r *Reader) leading(paths uint32, name string) uint32 {
	depth := len(r.open) - 1
	for i, p := range r.paths {
		if paths>>i&1 == 1 && (depth >= len(p) || p[depth] != name) {
			paths &^= 1 << i
		}
	}
	return paths
}

// enter meets a value that the paths lead to. It reads it when it stands at the end of
// one, goes into it when one leads further, and passes it otherwise. It reports whether a
// value was read.
func (r *Reader) enter(c byte, paths uint32) bool {
	depth := len(r.open)
	for i, p := range r.paths {
		if paths>>i&1 == 1 && len(p) == depth {
			return r.read(i)
		}
	}
	if paths != 0 && (c == '[' || c == '{') {
		r.into(c, paths)
		return false
	}
	r.sought = false
	at := r.at
	r.value = r.value[:0]
	if r.whole(false); r.astray() {
		r.turn(at)
	} else {
		r.passed()
	}
	return false
}

// read reads the value at hand, which is at the path's end.
func (r *Reader) read(path int) bool {
	at := r.at
	r.value = r.value[:0]
	if !r.whole(true) {
		if r.astray() {
			r.turn(at)
		}
		return false
	}
	v, err := r.doc.Parse(r.value)
	if sought := r.sought; err != nil || sought && !r.fits(v) {
		switch {
		case isDeep(err): // its brackets close
			r.spoilBy(&abi.Error{Code: CodeTooDeep, Message: "a value is nested too deep", Detail: "a value at byte " + strconv.FormatInt(at, 10)})
		case r.turn(at):
		case sought: // it may lie deeper than it seemed
			r.err = r.syntax("a value before is not JSON")
		default: // its brackets close, and the next may be whole
			r.spoil("a value before is not JSON")
		}
		return false
	}
	switch {
	case !r.among() || v.Kind() == jsonvalue.Object || r.ends():
	case v.Kind() == jsonvalue.Array && r.turn(at): // another array's bracket closes it
		return false
	case v.Kind() == jsonvalue.String && r.work < maxWork: // it is what stands between two, behind a quote too many
		r.unread(r.value[1:])
		r.fail("a comma or a closing bracket was expected")
		return false
	}
	r.learn(v)
	r.halves += int64(r.doc.Halves())
	r.found, r.path, r.sought = v, path, false
	r.element.reached |= 1 << path
	return true
}

// whole passes one value, has r.value hold it as far as ValueBytes, and reports whether it is there
// whole. A larger one is counted if it is wanted.
func (r *Reader) whole(wanted bool) bool {
	var v valueEnd
	for r.large, r.broke = false, false; ; {
		if !r.fill() {
			if v.atWord() && r.inErr == io.EOF && (!wanted || len(r.value) > 0) { //nolint:errorlint // io.EOF is never wrapped
				return !r.large
			}
			r.end()
			return false
		}
		n, done := v.in(r.held)
		if !r.large {
			if r.large = len(r.value)+n > ValueBytes; !r.large {
				r.value = append(r.value, r.held[:n]...)
			} else if r.broke = r.swallows(); r.broke {
				return false
			} else if wanted {
				r.oversized++
			}
		}
		r.held, r.at = r.held[n:], r.at+int64(n)
		if done {
			if n == 0 && wanted && len(r.value) == 0 {
				r.fail("a value was expected")
				return false
			}
			return !r.large
		}
	}
}

// name reads the member name at hand.
func (r *Reader) name(c byte) (string, bool) {
	if c != '"' {
		r.fail("a member name was expected")
		return "", false
	}
	at := r.at
	r.value = r.value[:0]
	if !r.whole(false) {
		switch {
		case r.astray():
			r.turn(at)
		case r.err == nil:
			r.fail("a shorter member name was expected")
		}
		return "", false
	}
	v, err := r.doc.Parse(r.value)
	if err != nil {
		r.fail("a member name was expected")
		return "", false
	}
	return v.View(), true
}

func (r *Reader) fail(what string) {
	if r.err == nil {
		r.faults++
		r.err = r.syntax(what)
	}
}

func (r *Reader) syntax(what string) *abi.Error {
	return syntax(what, strconv.FormatInt(r.at, 10))
}

func syntax(what, at string) *abi.Error {
	return &abi.Error{Code: CodeSyntax, Message: "the file is not JSON", Detail: what + " at byte " + at}
}

// asFault returns an error of this package's, which every one but the stream's is.
func asFault(err error) *abi.Error {
	e, _ := err.(*abi.Error) //nolint:errorlint // as this package makes it; errors.As needs reflection
	return e
}

// end fails for a text that ends where more was expected.
func (r *Reader) end() {
	switch {
	case r.err != nil:
	case r.inErr != io.EOF: //nolint:errorlint // io.EOF is never wrapped
		r.err = r.inErr
	default:
		r.err = &abi.Error{Code: CodeTruncated, Message: "the file ends in the middle", Detail: "at byte " + strconv.FormatInt(r.at, 10), Hint: "download it again"}
	}
}

// Value returns the value, and Path the number of its path, counted from 0.
func (r *Reader) Value() jsonvalue.Value { return r.found }

// Path returns the number of the path of Value.
func (r *Reader) Path() int { return r.path }

// Oversized returns how many values were above ValueBytes and left out.
func (r *Reader) Oversized() int64 { return r.oversized }

// Err returns the failure that ended Next before the end of the text, or else the first fault
// that Next went on behind, nil when there was neither. It has a code of this package, or is the
// error of the stream.
func (r *Reader) Err() error {
	if r.err == nil && r.fault != nil {
		return r.fault
	}
	return r.err
}

// Halves returns how many texts in the values have half of a surrogate pair in an escape: it reads as U+FFFD.
func (r *Reader) Halves() int64 { return r.halves }

// Faults returns how many faults were met: values that are not JSON, and whatever stands between
// two elements of an array and does not belong there.
func (r *Reader) Faults() int64 { return r.faults }
