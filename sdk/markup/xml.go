//go:build !tinygo

package markup

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"io"
	"slices"
	"strconv"

	"github.com/pdpp-host/pdpp-host/abi"
)

// maxFaults is how many faults the reading of one document goes on behind.
const maxFaults = 10_000

// XML reads a document of XML in UTF-8. Of entities it knows the five of XML itself: a document
// type that declares others is read over, and what uses them is a fault. Behind a fault it goes on
// at the next tag: Err returns the first one at the end.
func XML(r io.Reader) *Reader {
	x := &xmlReader{in: &metered{r: bufio.NewReader(r)}}
	x.decoder = xml.NewDecoder(x.in)
	return &Reader{next: x.next}
}

// xmlReader checks by itself that elements close, so that it can go on where they do not.
type xmlReader struct {
	in      *metered
	decoder *xml.Decoder
	open    []string // elements
	closing int      // how many of them end, for the one around them did
	fault   error    // the first that the reading went on behind
	faults  int
}

func (x *xmlReader) next() (Token, error) {
	for {
		if x.closing > 0 {
			x.closing--
			return x.pop(), nil
		}
		x.in.begin()
		token, err := x.decoder.RawToken()
		switch {
		case x.in.err != nil:
			return Token{}, x.in.err
		case err == io.EOF: //nolint:errorlint // RawToken returns it as it is
			return x.end()
		case err != nil && x.in.ended && !x.isOpen():
			return Token{}, x.truncated()
		case err != nil:
			if err := x.resume(err); err != nil {
				return Token{}, err
			}
			continue
		}
		if t, ok, err := x.token(token); ok || err != nil {
			return t, err
		}
	}
}

// isOpen reports whether the token at hand reaches to the document's end only because it does not close: the
// outermost element ends in it.
func (x *xmlReader) isOpen() bool {
	return len(x.open) > 0 && x.in.again() >= 0 && bytes.HasSuffix(bytes.TrimRight(x.in.taken, " \t\r\n\x00"), []byte(x.open[0]+">"))
}

// token takes a token of the decoder's, and reports whether it is one that is told.
func (x *xmlReader) token(token xml.Token) (Token, bool, error) {
	switch t := token.(type) {
	case xml.CharData:
		return Token{Kind: Text, Text: string(t)}, true, nil
	case xml.StartElement:
		if len(x.open) >= MaxDepth {
			return Token{}, false, tooLarge()
		}
		x.open = append(x.open, t.Name.Local)
		opened := Token{Kind: Open, Name: t.Name.Local}
		for _, a := range t.Attr {
			opened.Attrs = append(opened.Attrs, Attr{a.Name.Local, a.Value})
		}
		return opened, true, nil
	case xml.EndElement:
		at := len(x.open) - 1
		for at >= 0 && x.open[at] != t.Name.Local {
			at--
		}
		if at < 0 { // it closes nothing
			return Token{}, false, x.note(syntax("an end of <"+t.Name.Local+">, which is not open", x.in.at))
		}
		if at < len(x.open)-1 { // those within it did not close
			if err := x.note(syntax("<"+x.open[len(x.open)-1]+"> does not close", x.in.at)); err != nil {
				return Token{}, false, err
			}
		}
		x.closing = len(x.open) - at - 1
		return x.pop(), true, nil
	}
	return Token{}, false, nil
}

// pop closes the innermost element.
func (x *xmlReader) pop() Token {
	name := x.open[len(x.open)-1]
	x.open = x.open[:len(x.open)-1]
	return Token{Kind: Close, Name: name}
}

// end is the end of the document.
func (x *xmlReader) end() (Token, error) {
	switch {
	case len(x.open) > 0:
		return Token{}, x.truncated()
	case x.fault != nil:
		return Token{}, x.fault
	}
	return Token{}, io.EOF
}

func (x *xmlReader) truncated() error {
	if x.fault != nil {
		return x.fault
	}
	return abi.NewError(CodeTruncated, "the document ends in the middle of an element", "")
}

// note notes a fault behind which the reading goes on, and returns what ends it.
func (x *xmlReader) note(fault error) error {
	if x.fault == nil {
		x.fault = fault
	}
	if x.faults++; x.faults > maxFaults {
		return x.fault
	}
	return nil
}

// resume goes on behind a fault of the decoder's: at the first tag in the token at hand or behind it, and in a
// text at once.
func (x *xmlReader) resume(err error) error {
	if err := x.note(syntax("the document is not XML", x.in.at).Wrap(err)); err != nil {
		return err
	}
	if at := x.in.again(); at >= 0 {
		x.in.unread(at)
	} else if x.in.inTag() {
		x.in.skip()
	}
	x.decoder = xml.NewDecoder(x.in)
	return nil
}

func syntax(what string, at int64) *abi.Error {
	return &abi.Error{Code: CodeSyntax, Message: "the document is not XML", Detail: what + " in front of byte " + strconv.FormatInt(at, 10)}
}

// metered bounds how much the decoder reads for one token, and knows it. It reads no byte beyond it.
type metered struct {
	r     *bufio.Reader
	taken []byte // of the token at hand
	back  []byte // in front of r
	at    int64
	ended bool
	err   error // of the reader below, or the bound
}

// begin begins a token. The decoder may have read one byte of it.
func (m *metered) begin() {
	last := m.taken[max(0, len(m.taken)-1):]
	m.taken = append(m.taken[:0], last...)
}

// again returns where in the token at hand another tag begins, -1 for nowhere.
func (m *metered) again() int {
	const head = 2 // the byte of the token before, and the first of this one
	if len(m.taken) <= head {
		return -1
	}
	at := bytes.IndexByte(m.taken[head:], '<')
	if at < 0 {
		return -1
	}
	return head + at
}

// inTag reports whether the token at hand is a tag. Its first byte may be the last one that was taken for
// the token before.
func (m *metered) inTag() bool {
	return bytes.IndexByte(m.taken[:min(2, len(m.taken))], '<') >= 0
}

// skip goes to the next tag.
func (m *metered) skip() {
	for {
		m.taken = m.taken[:0]
		b, err := m.ReadByte()
		if err != nil {
			return
		}
		if b == '<' {
			m.unread(0)
			return
		}
	}
}

// unread gives the token at hand back, from a place on.
func (m *metered) unread(at int) {
	m.back = append(slices.Clone(m.taken[at:]), m.back...)
	m.at -= int64(len(m.taken) - at)
	m.taken, m.ended = m.taken[:0], false
}

// ReadByte is what the decoder reads with.
func (m *metered) ReadByte() (b byte, err error) {
	if len(m.taken) > MaxToken {
		m.err = tooLarge()
		return 0, m.err
	}
	if len(m.back) > 0 {
		b, m.back = m.back[0], m.back[1:]
	} else {
		b, err = m.r.ReadByte()
	}
	switch {
	case err == nil:
		m.taken, m.at = append(m.taken, b), m.at+1
	case err == io.EOF: //nolint:errorlint // bufio returns it as it is
		m.ended = true
	default:
		m.err = err
	}
	return b, err
}

// Read makes metered an io.Reader; the decoder does not call it.
func (m *metered) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	b, err := m.ReadByte()
	if err != nil {
		return 0, err
	}
	p[0] = b
	return 1, nil
}
