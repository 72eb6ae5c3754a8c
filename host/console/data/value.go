package data

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// These bound what a page shows of a value, in bytes.
const (
	mostCell  = 160
	mostValue = 4 << 10
	mostJSON  = 64 << 10
	mostLink  = 2 << 10
)

// piece is a part of a text: as it is, or the name of what cannot be seen.
type piece struct {
	text   string
	unseen bool
}

// pieces makes visible what would move, hide or turn other text round. Line ends and tabs
// stay, and so do the joiners that letters and pictures need.
func pieces(s string) (all []piece) {
	start := 0
	for i, r := range s {
		if !unseen(r) {
			continue
		}
		if start < i {
			all = append(all, piece{text: s[start:i]})
		}
		name := fmt.Sprintf("U+%04X", r)
		if n := len(all); n > 0 && start == i && all[n-1].unseen {
			all[n-1].text += " " + name
		} else {
			all = append(all, piece{name, true})
		}
		start = i + utf8.RuneLen(r)
	}
	if start < len(s) {
		all = append(all, piece{text: s[start:]})
	}
	return all
}

func unseen(r rune) bool {
	switch r {
	case '\n', '\t', '\u200c', '\u200d':
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co)
}

// cut is valid text of at most so many bytes, and whether something is missing.
func cut(s string, most int) (string, bool) {
	short := len(s) > most
	if short {
		s = s[:most]
		for n := 0; n < utf8.UTFMax && !utf8.ValidString(s[max(0, len(s)-utf8.UTFMax):]) && s != ""; n++ {
			s = s[:len(s)-1]
		}
	}
	return strings.ToValidUTF8(s, "\ufffd"), short
}

// shownText is a text as a page has it.
type shownText struct {
	pieces []piece
	cut    bool
	link   string // the address that the text is; "": none that is safe to follow
	empty  bool
}

func textOf(s string, most int) shownText {
	t := shownText{empty: s == "", link: linkOf(s)}
	s, t.cut = cut(s, most)
	t.pieces = pieces(s)
	return t
}

// valueOf is a value of a record: a string as its text, anything else as JSON.
func valueOf(raw json.RawMessage, most int) shownText {
	var s string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return textOf(s, most)
	}
	if bytes.Equal(raw, []byte("null")) {
		raw = nil
	}
	return plainText(string(raw), most)
}

// linkOf returns the address that a text is, if it is one of the web or of mail and names
// nobody to sign in as.
func linkOf(s string) string {
	if len(s) > mostLink || strings.ContainsFunc(s, func(r rune) bool { return unseen(r) || unicode.IsSpace(r) || r == '\\' }) {
		return ""
	}
	u, err := url.Parse(s)
	if err != nil || u.User != nil {
		return ""
	}
	switch {
	case (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "":
		return u.String()
	case u.Scheme == "mailto" && u.Opaque != "":
		return u.String()
	}
	return ""
}

// mostDepth bounds how deep JSON is laid out: each level makes each line longer.
const mostDepth = 40

// laidOut is a record's JSON with an element a line, or as it is when it is large or deep.
func laidOut(data json.RawMessage) shownText {
	if len(data) <= mostJSON && depth(data) <= mostDepth {
		var b bytes.Buffer
		if json.Indent(&b, data, "", "  ") == nil {
			data = b.Bytes()
		}
	}
	s, short := cut(string(data[:min(len(data), mostJSON+utf8.UTFMax)]), mostJSON)
	return shownText{pieces: pieces(s), cut: short}
}

// depth is how deep data is nested at most. It takes brackets in texts for nesting as well.
func depth(data []byte) (most int) {
	now := 0
	for _, b := range data {
		switch b {
		case '[', '{':
			now++
		case ']', '}':
			now--
		}
		most = max(most, now)
	}
	return most
}

// plainText is a text that is no address to follow: a name, a key.
func plainText(s string, most int) shownText {
	t := textOf(s, most)
	t.link = ""
	return t
}
