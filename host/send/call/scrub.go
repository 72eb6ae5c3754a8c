package call

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	redacted = "[redacted]"
	// shortest is the length below which a secret is not looked for: to take each
	// "2024" out of a provider's data would spoil the data and hide nothing.
	shortest = 6
	// remembered is how many secrets are looked for; renewed ones push the oldest
	// out.
	remembered = 64
)

// scrubber takes secrets out of what a provider says, in the spellings that an
// echo has: as they are, percent-encoded, in JSON, in HTML, and in base64. Its
// zero value knows none. Safe for concurrent use.
type scrubber struct {
	mu      sync.Mutex
	secrets []string
	forms   atomic.Pointer[forms]
}

type forms struct {
	needles [][]byte // the longest first
	lower   []string // for names of headers
}

// hide adds a secret.
func (s *scrubber) hide(secret string) {
	if len(secret) < shortest {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.secrets, secret) {
		return
	}
	s.secrets = append(s.secrets, secret)
	if len(s.secrets) > remembered {
		s.secrets = s.secrets[1:]
	}
	f := new(forms)
	for _, secret := range s.secrets {
		for _, spelling := range spellings(secret) {
			f.needles = append(f.needles, []byte(spelling))
		}
		f.lower = append(f.lower, strings.ToLower(secret))
	}
	slices.SortFunc(f.needles, func(a, b []byte) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return bytes.Compare(a, b)
	})
	f.needles = slices.CompactFunc(f.needles, bytes.Equal)
	s.forms.Store(f)
}

// spellings returns the ways that a secret is written. Base64 goes without its
// padding, and is thereby found with and without.
func spellings(secret string) []string {
	var all []string
	for _, s := range []string{
		secret,
		base64.RawStdEncoding.EncodeToString([]byte(secret)),
		base64.RawURLEncoding.EncodeToString([]byte(secret)),
		strings.TrimRight(secret, "="), // of a basic pair, which is base64 already
	} {
		if len(s) < shortest {
			continue
		}
		query, path := url.QueryEscape(s), url.PathEscape(s)
		all = append(all, s, query, path, lowerHex(query), lowerHex(path), html.EscapeString(s))
		quoted := string(appendString(nil, s))
		quoted = quoted[1 : len(quoted)-1]
		for _, q := range []string{quoted, jsonHTML.Replace(quoted), jsonMost.Replace(quoted)} {
			q2 := asciiOnly(q)
			all = append(all, q, q2, strings.ReplaceAll(q, "/", `\/`), strings.ReplaceAll(q2, "/", `\/`))
		}
	}
	return all
}

// How encoders that think of HTML write JSON: the common way, and the one that
// spares nothing.
var (
	jsonHTML = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`)
	jsonMost = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`, "'", `\u0027`, "+", `\u002b`, "=", `\u003d`)
)

// asciiOnly writes the inside of a JSON string without a byte above 0x7f.
func asciiOnly(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// lowerHex writes percent-encodings in lower case.
func lowerHex(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(string(b[i+1:i+3])))
		}
	}
	return string(b)
}

// clean returns b without secrets: b itself when it holds none.
func (s *scrubber) clean(b []byte) []byte {
	f := s.forms.Load()
	if f == nil {
		return b
	}
	for _, n := range f.needles {
		if bytes.Contains(b, n) {
			b = bytes.ReplaceAll(b, n, []byte(redacted))
		}
	}
	return b
}

func (s *scrubber) cleanText(text string) string {
	f := s.forms.Load()
	if f == nil {
		return text
	}
	for _, n := range f.needles {
		if strings.Contains(text, string(n)) {
			text = strings.ReplaceAll(text, string(n), redacted)
		}
	}
	return text
}

// named reports whether a header's name, in lower case, holds a secret.
func (s *scrubber) named(name string) bool {
	f := s.forms.Load()
	return f != nil && slices.ContainsFunc(f.lower, func(l string) bool { return strings.Contains(name, l) })
}
