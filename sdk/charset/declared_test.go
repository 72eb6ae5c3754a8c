package charset_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/sdk/charset"
)

// AC-07: what the file declares decides, where the text is in it.
func TestDecode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in, name, want string
		known          bool
	}{
		{"Größe", "UTF-8", "Größe", true},
		{"Größe", "", "Größe", true},
		{"Gr\xf6\xdfe", "utf-8", "Größe", false},
		{"Gr\xf6\xdfe", "", "Größe", false},
		{"Gr\xf6\xdfe", "ISO-8859-1", "Größe", true},
		{"\xa4", "\"iso-8859-15\"", "€", true},
		{"\xcf\xf0\xe8\xe2\xe5\xf2", "windows-1251", "Привет", true},
		{"\xb1\xe6", "ISO-8859-2", "ąć", true},
		{"\x9cwi\xeato", "cp1250", "święto", true},
		{"\xfe\xf0", "ISO-8859-9", "şğ", true},
		{"\x80 \x81", "windows-1252", "€ \u0081", true},
		{"plain", "Shift_JIS", "plain", true},
		{"\x83e", "Shift_JIS", "ƒe", false},
		{"ö", "Shift_JIS", "ö", false},
		{"\x1b$BF|\x1b(B", "ISO-2022-JP", "\x1b$BF|\x1b(B", false},
		{"plain", "iso-2022-jp", "plain", true},
		{"\x1b[1m", "us-ascii", "\x1b[1m", true},
		{"~{VP~}", "HZ-GB-2312", "~{VP~}", false},
		{"VP", "hz-gb-2312", "VP", true},
		{"+AOQ-", "\"UTF-7\"", "+AOQ-", false},
		{"a", "utf-7", "a", true},
		{"a+b ~{", "utf-8", "a+b ~{", true},
	} {
		if got, known := charset.Decode([]byte(c.in), c.name); got != c.want || known != c.known {
			t.Errorf("%q in %s: %q, known %v, want %q and %v", c.in, c.name, got, known, c.want, c.known)
		}
	}
}

// Every byte beyond ASCII has a character in every code page, and each text is UTF-8.
func TestCodePagesAreWhole(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"windows-1250", "windows-1251", "windows-1252", "windows-1254", "iso-8859-2", "iso-8859-15"} {
		for c := 0x80; c < 0x100; c++ {
			if got, known := charset.Decode([]byte{byte(c)}, name); utf8.RuneCountInString(got) != 1 || strings.Contains(got, "\ufffd") || !known {
				t.Errorf("%s: %#x is %q, want one character", name, c, got)
			}
		}
	}
	for c := range 0x80 {
		want := fmt.Sprintf("%c", charset.Latin(byte(c+0x80)))
		if got, _ := charset.Decode([]byte{byte(c + 0x80)}, "windows-1252"); got != want {
			t.Errorf("%#x is %q, want %q", c+0x80, got, want)
		}
	}
}

// AC-07: a reader of UTF-16 alone leaves other bytes to who reads the lines.
func TestOnlyUTF16(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                 "",
		"B":                                "B",
		"\xef\xbb\xbfcaf\xc3\r\n \xa9\xf6": "caf\xc3\r\n \xa9\xf6",
		"\xff\xfeB\x00\xf6\x00":            "Bö",
		"\x00B\x00E\x00G":                  "BEG",
	} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(in), "in bytes": iotest.OneByteReader(strings.NewReader(in))} {
			got, err := io.ReadAll(charset.NewUTF16(r))
			if err != nil || string(got) != want {
				t.Errorf("%q, %s: %q %v, want %q", in, name, got, err, want)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("Gr\xf6\xdfe"), "windows-1251")
	f.Add([]byte("\xff\xfe\x3c\xd8\x82\xdf"), "")
	f.Fuzz(func(t *testing.T, in []byte, name string) {
		if text, _ := charset.Decode(in, name); !utf8.ValidString(text) {
			t.Errorf("%q by %q is %q, want UTF-8", in, name, text)
		}
	})
}
