//go:build !tinygo

package markup

import (
	"bytes"
	"errors"
	"io"

	"golang.org/x/net/html"

	"github.com/pdpp-host/pdpp-host/abi"
)

// HTML reads a page of HTML. Every text is one, so its only faults are a token above MaxToken,
// an end within a tag or a comment, and an error of r.
func HTML(r io.Reader) *Reader {
	z := html.NewTokenizer(r)
	z.SetMaxBuf(MaxToken)
	ended := "" // an element that closes itself
	cut := false
	return &Reader{next: func() (Token, error) {
		if ended != "" {
			t := Token{Kind: Close, Name: ended}
			ended = ""
			return t, nil
		}
		for {
			kind := z.Next()
			switch kind {
			case html.ErrorToken:
				switch err := z.Err(); {
				case errors.Is(err, html.ErrBufferExceeded):
					return Token{}, tooLarge()
				case err == io.EOF && (cut || len(z.Raw()) > 0): //nolint:errorlint // the tokenizer returns it as it is
					return Token{}, abi.NewError(CodeTruncated, "the page ends within a tag or a comment", "")
				default:
					return Token{}, err
				}
			case html.TextToken:
				return Token{Kind: Text, Text: string(z.Text())}, nil
			case html.StartTagToken, html.SelfClosingTagToken:
				name, more := z.TagName()
				t := Token{Kind: Open, Name: string(name)}
				for more {
					var key, value []byte
					key, value, more = z.TagAttr()
					t.Attrs = append(t.Attrs, Attr{string(key), string(value)})
				}
				if kind == html.SelfClosingTagToken {
					ended = t.Name
				}
				return t, nil
			case html.EndTagToken:
				name, _ := z.TagName()
				return Token{Kind: Close, Name: string(name)}, nil
			case html.CommentToken, html.DoctypeToken:
				cut = !bytes.HasSuffix(z.Raw(), []byte(">"))
			}
		}
	}}
}
