package charset_test

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/sdk/charset"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func read(t testing.TB, in io.Reader) (string, *charset.Reader) {
	t.Helper()
	r := charset.New(in)
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b), r
}

// AC-07: UTF-8 strictly, else the byte order mark, else Windows-1252, which is counted.
func TestEncodings(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 32<<10-1)
	for name, c := range map[string]struct {
		in, want, encoding string
		taken              int64
	}{
		"empty":               {"", "", charset.UTF8, 0},
		"one byte":            {"x", "x", charset.UTF8, 0},
		"UTF-8":               {"Köln 🎈", "Köln 🎈", charset.UTF8, 0},
		"UTF-8 with a mark":   {"\xef\xbb\xbfKöln", "Köln", charset.UTF8, 0},
		"across two reads":    {long + "ö" + long, long + "ö" + long, charset.UTF8, 0},
		"Windows-1252":        {"K\xf6ln \x80 5", "Köln € 5", charset.UTF8, 2},
		"a stray byte":        {"Köln\xe4 Straße", "Kölnä Straße", charset.UTF8, 1},
		"cut":                 {"Köln\xc3", "KölnÃ", charset.UTF8, 1},
		"UTF-16LE":            {"\xff\xfeK\x00\xf6\x00\x3d\xd8\x88\xdf", "Kö\U0001f788", charset.UTF16LE, 0},
		"UTF-16BE":            {"\xfe\xff\x00K\x00\xf6", "Kö", charset.UTF16BE, 0},
		"UTF-16LE unmarked":   {"[\x00{\x00\xf6\x00", "[{ö", charset.UTF16LE, 0},
		"UTF-16BE unmarked":   {"\x00[\x00{\x00\xf6", "[{ö", charset.UTF16BE, 0},
		"half a pair and cut": {"\xff\xfeK\x00\x3d\xd8K\x00\x41", "K?K", charset.UTF16LE, 2},
	} {
		for how, in := range map[string]io.Reader{"whole": strings.NewReader(c.in), "bytes": iotest.OneByteReader(strings.NewReader(c.in))} {
			got, r := read(t, in)
			if got != c.want || r.Encoding() != c.encoding || r.Taken() != c.taken {
				t.Errorf("%s, %s: got %.40q in %s with %d taken, want %.40q in %s with %d", name, how, got, r.Encoding(), r.Taken(), c.want, c.encoding, c.taken)
			}
		}
	}
	if text, taken := charset.Text([]byte("na\xefve \x93x\x94")); text != "naïve “x”" || taken != 3 {
		t.Errorf("got %q with %d taken, want naïve “x” with 3", text, taken)
	}
}

// Whatever comes, what goes out is UTF-8, and the same however it is read.
func FuzzReader(f *testing.F) {
	f.Add("\xff\xfeK\x00\x3d\xd8")
	f.Add("K\xf6ln")
	f.Add("[\x00{\x00\xf6")
	f.Fuzz(func(t *testing.T, in string) {
		whole, _ := read(t, strings.NewReader(in))
		pieces, _ := read(t, iotest.OneByteReader(strings.NewReader(in)))
		if !utf8.ValidString(whole) || whole != pieces {
			t.Errorf("got %q and %q, want one text of UTF-8", whole, pieces)
		}
	})
}
