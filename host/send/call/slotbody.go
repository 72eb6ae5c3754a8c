package call

import (
	"bytes"
	"mime"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pdpp-host/pdpp-host/abi"
)

// placeInBody returns a copy of body with a top-level member, or a form field, added.
// The rest of the body stays as the guest wrote it.
func placeInBody(contentType string, body []byte, key, text string) ([]byte, error) {
	media, _, err := mime.ParseMediaType(contentType)
	switch {
	case err != nil:
	case media == "application/x-www-form-urlencoded":
		raw := string(body)
		if withoutQuery(raw, key) != raw {
			return nil, conflict("the body has the field " + quoted(key))
		}
		return []byte(withQuery(raw, key, text)), nil
	case media == "application/json" || strings.HasSuffix(media, "+json"):
		return placeInJSON(body, key, text)
	}
	return nil, abi.NewError(CodeRequestInvalid, "the credential belongs in the body, which is neither JSON nor a form",
		"set Content-Type to application/json or application/x-www-form-urlencoded")
}

func placeInJSON(body []byte, key, text string) ([]byte, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		body = []byte("{}")
	}
	empty, err := checkObject(body, key)
	if err != nil {
		return nil, err
	}
	open := bytes.IndexByte(body, '{') + 1
	out := make([]byte, 0, len(body)+len(key)+len(text)+16)
	out = append(out, body[:open]...)
	out = appendString(out, key)
	out = append(out, ':')
	out = appendString(out, text)
	if !empty {
		out = append(out, ',')
	}
	return append(out, body[open:]...), nil
}

// checkObject reports whether body, one JSON object, is empty. It refuses an object
// that already has the member, since readers differ in which of two counts.
func checkObject(body []byte, key string) (empty bool, err error) {
	bad := abi.NewError(CodeRequestInvalid, "the credential belongs in the body, which is not a JSON object", "send one object")
	d := jsontext.NewDecoder(bytes.NewReader(body)) // refuses duplicate names
	if d.PeekKind() != '{' {
		return false, bad
	}
	if _, err := d.ReadToken(); err != nil {
		return false, bad
	}
	empty = d.PeekKind() == '}'
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return false, bad
		}
		if sameName(name.String(), key) {
			return false, conflict("the body has the member " + quoted(key))
		}
		if err := d.SkipValue(); err != nil {
			return false, bad
		}
	}
	if _, err := d.ReadToken(); err != nil || d.PeekKind() != 0 {
		return false, bad
	}
	return empty, nil
}

func conflict(what string) error {
	return abi.NewError(CodeCredentialConflict, what+", which the credential slot writes", "leave it out")
}

// formOf encodes a form in the given order, for the token request.
func formOf(pairs ...string) []byte {
	var b strings.Builder
	for i := 0; i+1 < len(pairs); i += 2 {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(url.QueryEscape(pairs[i]) + "=" + url.QueryEscape(pairs[i+1]))
	}
	return []byte(b.String())
}
