package main

import (
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Bounds on text in records, in bytes. A record may have 1 MiB, and a byte may
// take six when it is escaped.
const (
	maxContent   = 128 << 10
	maxArguments = 128 << 10
	maxOutput    = 128 << 10
	maxFirst     = 16 << 10 // of the first message that the list of threads has
	maxField     = 4 << 10
)

// maxWritten is how long the arguments and the output of a call may be together, as they are written in a record.
const maxWritten = 1000 << 10

// written is how many bytes a text takes in a record.
func written(s string) (n int) {
	for i := range len(s) {
		n += escaped(s[i])
	}
	return n
}

// fits is how many bytes of a text, written in a record, take no more than room.
func fits(s string, room int) int {
	for i := range len(s) {
		if room -= escaped(s[i]); room < 0 {
			return i
		}
	}
	return len(s)
}

// escaped is how many bytes one byte of a text takes in a record.
func escaped(c byte) int {
	switch {
	case c == '"', c == '\\', c == '\n', c == '\t', c == '\r', c == '\b', c == '\f':
		return 2
	case c < ' ':
		return 6
	}
	return 1
}

// timestamp reads an RFC 3339 text; the zero time for any other text.
func timestamp(v jsonvalue.Value) time.Time {
	if v.Kind() != jsonvalue.String {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, v.View())
	if err != nil || t.Year() < 1 || t.Year() > 9998 {
		return time.Time{}
	}
	return t.UTC()
}

// pictured are the types of parts that have no text.
var pictured = map[string]bool{"input_image": true, "output_image": true, "input_audio": true, "output_audio": true, "input_file": true}

// contentText joins the text of a message's content: a string, or a list of
// parts. mixed is true when some part is no text; such a part is named in
// brackets, with the name of a file and the transcript of a recording behind it, and one of a type that is not known is taken as it is.
// told, if it is not nil, is given the type of a part that ought to have a text, or is not known.
func contentText(dst []byte, v jsonvalue.Value, limit int, told func(kind jsonvalue.Value)) (text []byte, mixed bool) {
	switch v.Kind() {
	case jsonvalue.String:
		return v.AppendText(dst), false
	case jsonvalue.Array:
		for it := v.Children(); it.Next() && len(dst) <= limit; {
			if len(dst) > 0 {
				dst = append(dst, '\n')
			}
			part := it.Value()
			if text := textOf(part); text.Kind() == jsonvalue.String {
				dst = text.AppendText(dst)
				continue
			}
			mixed = true
			known, said := pictured[part.Get("type").View()], part.Get("transcript")
			if known {
				dst = pictureText(dst, part, said)
			} else {
				dst = part.AppendJSON(dst)
			}
			if told != nil && (!known || !said.IsNull() && said.Kind() != jsonvalue.String) {
				told(part.Get("type"))
			}
		}
		return dst, mixed
	case jsonvalue.Null:
		return dst, false
	}
	return v.AppendJSON(dst), true
}

// textOf is the text of a part, which a refusal has under another name.
func textOf(part jsonvalue.Value) jsonvalue.Value {
	if part.Get("type").TextIs("refusal") {
		return part.Get("refusal")
	}
	return part.Get("text")
}

// pictureText names a part without a text.
func pictureText(dst []byte, part, said jsonvalue.Value) []byte {
	dst = append(append(append(dst, '['), part.Get("type").View()...), ']')
	if name := part.Get("filename"); name.Kind() == jsonvalue.String {
		dst = name.AppendText(append(dst, ' '))
	}
	if said.Kind() == jsonvalue.String {
		dst = said.AppendText(append(dst, '\n'))
	}
	return dst
}

// outputText is contentText for a tool's result: it also accepts an object with the
// content inside.
func outputText(dst []byte, v jsonvalue.Value, told func(kind jsonvalue.Value)) []byte {
	if v.Kind() == jsonvalue.Object {
		for _, name := range [...]string{"content", "output"} {
			if c := v.Get(name); !c.IsNull() {
				v = c
				break
			}
		}
	}
	dst, _ = contentText(dst, v, maxOutput, told)
	return dst
}

// withoutUserinfo takes the user and the password or token out of a URL: git
// remotes carry them.
func withoutUserinfo(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		return url
	}
	host, path, slash := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	if slash {
		host += "/" + path
	}
	return scheme + "://" + host
}
