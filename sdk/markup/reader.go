//go:build !tinygo

package markup

import (
	"io"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/clip"
)

// The bounds of a document.
const (
	// MaxToken is how long a token may be, in bytes: a tag with its attributes, or a text
	// between two tags.
	MaxToken = 1 << 20
	// MaxDepth is how deep elements of XML may lie in each other. HTML has no such bound:
	// nothing is kept of what is open.
	MaxDepth = 1000
)

// The stable codes of a document's faults. An error of the underlying reader is returned as it
// is.
const (
	CodeSyntax    abi.Code = "markup.syntax"    // a part of it is no XML
	CodeTruncated abi.Code = "markup.truncated" // it ends in the middle of an element
	CodeTooLarge  abi.Code = "markup.too_large" // a token above MaxToken, or elements below MaxDepth
)

// Kind is what a token is.
type Kind uint8

// The kinds. Comments, instructions and declarations are left out.
const (
	Open  Kind = iota + 1 // the begin of an element
	Close                 // its end; in HTML it may be missing, as of <br> or <li>
	Text                  // between two tags, decoded; a text may come in several tokens
)

// Attr is an attribute. Its value is decoded.
type Attr struct{ Name, Value string }

// Token is one token.
type Token struct {
	Kind  Kind
	Name  string // of the element: in lower case in HTML, without its namespace in XML
	Text  string // of a Text
	Attrs []Attr // of an Open, in their order
}

// Attr returns the value of an attribute, "" when there is none of that name.
func (t *Token) Attr(name string) string {
	for _, a := range t.Attrs {
		if a.Name == name {
			return a.Value
		}
	}
	return ""
}

// Reader reads tokens, as a bufio.Scanner reads lines. Make it with HTML or XML.
type Reader struct {
	next  func() (Token, error) // io.EOF behind the last one
	token Token
	err   error
}

// Next reads the next token. It is false behind the last one and after an error.
func (r *Reader) Next() bool {
	if r.err != nil {
		return false
	}
	r.token, r.err = r.next()
	return r.err == nil
}

// Token returns the token that Next has read.
func (r *Reader) Token() *Token { return &r.token }

// Err is why the reading ended before the end of the document, or else the first fault that it went
// on behind, or nil.
func (r *Reader) Err() error {
	if r.err == io.EOF { //nolint:errorlint // next returns it as it is
		return nil
	}
	return r.err
}

// TextOf reads to the end of the element that the last token has opened, and returns the text
// in it without its tags, at most that many bytes and no part of a code point. Use it for
// elements that are always closed.
func (r *Reader) TextOf(most int) string {
	if r.token.Kind != Open {
		return ""
	}
	name, depth := r.token.Name, 1
	var text []byte
	for r.Next() {
		switch t := r.Token(); {
		case t.Kind == Text && len(text) <= most:
			text = append(text, t.Text...)
		case t.Kind == Open && t.Name == name:
			depth++
		case t.Kind == Close && t.Name == name:
			depth--
		}
		if depth == 0 {
			break
		}
	}
	return clip.Text(string(text), most)
}

func tooLarge() error {
	return abi.NewError(CodeTooLarge, "the document has a token or a nesting beyond what is read", "")
}
