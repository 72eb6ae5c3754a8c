package contentline

import (
	"bytes"
	"encoding/base64"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/charset"
)

// Decode undoes the ENCODING of a text value, which vCalendar 1.0 and vCard 2.1 know, and reads it
// by the CHARSET beside it. It returns the name of an encoding that it does not know, and "" else.
func (c *Line) Decode() (unknown string) {
	encoding := c.encoding()
	switch string(encoding) {
	case "", "7BIT", "8BIT":
		return "" // Reader has read it by its CHARSET
	case "QUOTED-PRINTABLE":
		c.Value = quotedPrintable(c.Value)
	case "BASE64", "B":
		plain, err := base64.StdEncoding.DecodeString(string(c.Value))
		if err != nil {
			return string(encoding)
		}
		c.Value = plain
	default:
		return string(encoding)
	}
	name := c.Param("CHARSET")
	text, known := charset.Decode(c.Value, name)
	if c.Value = []byte(strings.ReplaceAll(text, "\r\n", "\n")); known {
		return ""
	}
	if name == "" {
		name = "not UTF-8"
	}
	return name
}

// encoding returns the value of ENCODING in upper case. vCalendar 1.0 lets its name be left out.
func (c *Line) encoding() []byte {
	for _, p := range c.Params {
		switch string(p.Name) {
		case "ENCODING":
			return Upper(Trim(bytes.Trim(p.Value, `"`)))
		case "QUOTED-PRINTABLE", "BASE64":
			if len(p.Value) == 0 {
				return p.Name
			}
		}
	}
	return nil
}

// quotedPrintable decodes in place (RFC 2045, section 6.7). A "=" without two digits stays.
func quotedPrintable(b []byte) []byte {
	out := b[:0]
	for i := 0; i < len(b); i++ {
		if b[i] == '=' && i+2 < len(b) {
			high, ok1 := hexDigit(b[i+1])
			low, ok2 := hexDigit(b[i+2])
			if ok1 && ok2 {
				out = append(out, high<<4|low)
				i += 2
				continue
			}
		}
		out = append(out, b[i])
	}
	return out
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	}
	return 0, false
}
