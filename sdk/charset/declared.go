package charset

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// codePage returns the upper half of the code page of that name, "" for one that is not here.
// ISO-8859-1 and ASCII are taken for Windows-1252, as the WHATWG's encoding standard has it.
func codePage(name string) string {
	switch name {
	case "windows-1252", "cp1252", "ansi", "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "l1", "us-ascii", "ascii":
		return windows1252
	case "windows-1250", "cp1250":
		return windows1250
	case "windows-1251", "cp1251":
		return windows1251
	case "windows-1254", "cp1254", "iso-8859-9", "iso8859-9", "latin5":
		return windows1254
	case "iso-8859-2", "iso8859-2", "latin2", "l2":
		return latin2
	case "iso-8859-15", "iso8859-15", "latin9", "latin-9":
		return latin9
	}
	return ""
}

// Decode returns a text in the encoding of that name as UTF-8. known is false where the name says
// nothing of the text, because it is missing, has no table here, or is UTF-8 and the text is not:
// the text is then what Text makes of it.
func Decode(b []byte, name string) (text string, known bool) {
	upper := codePage(strings.ToLower(strings.Trim(name, "\" \t")))
	if upper == "" || ascii(b) {
		text, taken := Text(b)
		return text, taken == 0 && (ascii(b) && !shifts(b, name) || isUTF8(name))
	}
	page := []rune(upper)
	out := make([]byte, 0, len(b)+len(b)/2)
	for _, c := range b {
		if c < utf8.RuneSelf {
			out = append(out, c)
		} else {
			out = utf8.AppendRune(out, page[c-utf8.RuneSelf])
		}
	}
	return string(out), true
}

// shifts reports whether a text of ASCII in the encoding of that name has other letters: ISO 2022, HZ and UTF-7 write
// each in several bytes behind a mark.
func shifts(b []byte, name string) bool {
	name = strings.ToLower(strings.Trim(name, "\" \t"))
	switch {
	case strings.HasPrefix(name, "iso-2022-"):
		return bytes.IndexByte(b, 0x1b) >= 0
	case strings.HasPrefix(name, "hz"):
		return bytes.Contains(b, []byte("~{"))
	}
	return name == "utf-7" && bytes.IndexByte(b, '+') >= 0
}

func isUTF8(name string) bool {
	name = strings.ToLower(strings.Trim(name, "\" \t"))
	return name == "" || name == "utf-8" || name == "utf8"
}

func ascii(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
