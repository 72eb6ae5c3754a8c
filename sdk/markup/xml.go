//go:build !tinygo

package markup

import (
	"bufio"
	"encoding/xml"
	"io"

	"github.com/pdpp-host/pdpp-host/abi"
)

// XML reads a document of XML in UTF-8. Of entities it knows the five of XML itself: a document
// type that declares others is read over, and what uses them is a fault.
func XML(r io.Reader) *Reader {
	in := &metered{r: bufio.NewReader(r)}
	d := xml.NewDecoder(in)
	depth := 0
	return &Reader{next: func() (Token, error) {
		for {
			in.left = MaxToken
			token, err := d.Token()
			switch {
			case in.err != nil:
				return Token{}, in.err
			case err == io.EOF: //nolint:errorlint // Token returns it as it is
				return Token{}, err
			case err != nil && in.ended:
				return Token{}, abi.NewError(CodeTruncated, "the document ends in the middle of an element", "").Wrap(err)
			case err != nil:
				return Token{}, abi.NewError(CodeSyntax, "the document is not XML", "").Wrap(err)
			}
			switch t := token.(type) {
			case xml.CharData:
				return Token{Kind: Text, Text: string(t)}, nil
			case xml.EndElement:
				depth--
				return Token{Kind: Close, Name: t.Name.Local}, nil
			case xml.StartElement:
				if depth++; depth > MaxDepth {
					return Token{}, tooLarge()
				}
				opened := Token{Kind: Open, Name: t.Name.Local}
				for _, a := range t.Attr {
					opened.Attrs = append(opened.Attrs, Attr{a.Name.Local, a.Value})
				}
				return opened, nil
			}
		}
	}}
}

// metered bounds how much the decoder reads for one token. It reads no byte beyond it.
type metered struct {
	r     *bufio.Reader
	left  int
	ended bool
	err   error // of the reader below, or the bound
}

// ReadByte is what the decoder reads with.
func (m *metered) ReadByte() (byte, error) {
	if m.left--; m.left < 0 {
		m.err = tooLarge()
		return 0, m.err
	}
	b, err := m.r.ReadByte()
	switch {
	case err == io.EOF: //nolint:errorlint // bufio returns it as it is
		m.ended = true
	case err != nil:
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
