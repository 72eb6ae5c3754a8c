package call

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send"
)

// encode writes an abi.HTTPResponse. It is hand-written because every request pays for
// it; the body is copied once.
func (s *Session) encode(resp *send.Response) []byte {
	body := s.keys.clean(resp.Body)
	if len(body) != len(resp.Body) {
		resp.Header.Del("Content-Length")
	}
	size := 256 + int(sizeOfHeader(resp.Header)) + len(body)
	out := make([]byte, 0, size+size/64)
	out = append(out, `{"status":`...)
	out = strconv.AppendInt(out, int64(resp.Status), 10)
	out = append(out, `,"url":`...)
	out = appendString(out, s.keys.cleanText(resp.URL.String()))
	out = append(out, `,"headers":{`...)
	out = s.appendHeaders(out, resp.Header)
	out = append(out, "}}\n"...)
	return append(out, body...)
}

// appendHeaders writes the members of headers, sorted so that equal answers are equal
// bytes.
func (s *Session) appendHeaders(out []byte, h http.Header) []byte {
	names := make([]string, 0, len(h))
	for name := range h {
		if name != "Set-Cookie" && name != "Set-Cookie2" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	first, last := true, ""
	for _, name := range names {
		lower := strings.ToLower(name)
		if lower == last || s.keys.named(lower) {
			continue
		}
		last = lower
		if !first {
			out = append(out, ',')
		}
		first = false
		out = appendString(out, lower)
		out = append(out, ':')
		value := h[name][0]
		if len(h[name]) > 1 {
			value = strings.Join(h[name], ", ")
		}
		out = appendString(out, s.keys.cleanText(value))
	}
	return out
}

// encodeFailure writes an abi.HTTPError.
func (s *Session) encodeFailure(f abi.HTTPFailure) []byte {
	out := append(make([]byte, 0, 512), `{"error":{"code":`...)
	out = appendString(out, string(f.Code))
	text := func(name, value string) {
		if value != "" || name == "message" {
			out = append(out, `,"`+name+`":`...)
			out = appendString(out, s.keys.cleanText(value))
		}
	}
	number := func(name string, n int) {
		if n != 0 {
			out = append(out, `,"`+name+`":`...)
			out = strconv.AppendInt(out, int64(n), 10)
		}
	}
	text("message", f.Message)
	text("hint", f.Hint)
	text("gap_reason", string(f.GapReason))
	text("stop", string(f.Stop))
	if f.Final {
		out = append(out, `,"final":true`...)
	}
	number("status", f.Status)
	number("attempts", f.Attempts)
	text("next_attempt_after", f.NextAttemptAfter)
	text("answer", f.Answer)
	text("answer_type", f.AnswerType)
	return append(out, "}}"...)
}

// appendString writes one JSON string (RFC 8259, 7). Invalid UTF-8 becomes U+FFFD.
func appendString(out []byte, s string) []byte {
	const hex = "0123456789abcdef"
	out = append(out, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				out = append(append(out, s[start:i]...), "\uFFFD"...)
				start = i + 1
			}
			i += n
			continue
		}
		if c < ' ' || c == '"' || c == '\\' {
			out = append(out, s[start:i]...)
			switch c {
			case '"', '\\':
				out = append(out, '\\', c)
			case '\n':
				out = append(out, `\n`...)
			case '\r':
				out = append(out, `\r`...)
			case '\t':
				out = append(out, `\t`...)
			default:
				out = append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			}
			start = i + 1
		}
		i++
	}
	return append(append(out, s[start:]...), '"')
}
