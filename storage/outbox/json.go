package outbox

import (
	"bytes"
	"encoding/json"
)

// plainJSON writes v without escapes that only a web page would need, so that a
// cursor takes the room on its way that it takes at rest.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// appendJSONText writes valid UTF-8 as a JSON text. Only what has to be escaped
// is.
func appendJSONText[T string | []byte](to []byte, text T) []byte {
	const digits = "0123456789abcdef"
	to = append(to, '"')
	from := 0
	for i := range len(text) {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		to = append(to, text[from:i]...)
		from = i + 1
		if c == '"' || c == '\\' {
			to = append(to, '\\', c)
		} else {
			to = append(to, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
	}
	return append(append(to, text[from:]...), '"')
}
