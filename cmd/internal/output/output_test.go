package output

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var rootMissing = abi.NewError(abi.CodeRootMissing, `the folder for root "codex" does not exist`, "name a folder that exists").
	WithDetail("/mnt/nothing, from --root")

func TestErrorHasThreeParts(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	WriteError(&b, Style{}, rootMissing)
	want := "error: the folder for root \"codex\" does not exist   [files.root_missing]\n" +
		"  /mnt/nothing, from --root\n  hint: name a folder that exists\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestForeignErrorsAreNotQuoted(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	WriteError(&b, Style{}, errors.New("password hunter2 refused\ngoroutine 1 [running]:\nmain.main()"))
	if strings.Contains(b.String(), "hunter2") || strings.Contains(b.String(), "goroutine") || !strings.Contains(b.String(), "internal.error") {
		t.Errorf("got %s", b.String())
	}
	if Typed(context.Canceled).Code != abi.CodeInterrupted {
		t.Error("a cancelled context is an interruption")
	}
}

func TestHostileTextCannotForgeLines(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	WriteError(&b, Style{}, abi.NewError("guest.trap", "a\x1b[2Jb\nerror: forged", "c\rd").WithDetail("one\ntwo\x07\u202e"))
	if strings.ContainsAny(b.String(), "\x1b\r\a\u202e") || strings.Count(b.String(), "\n") != 4 {
		t.Errorf("got %q", b.String())
	}
}

func TestEnvelope(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		end  func(*Printer) error
		want string
	}{
		{"result", func(p *Printer) error { return p.Result("fine", map[string]int{"n": 1}, nil) },
			`{"command":"run","ok":true,"summary":"fine","result":{"n":1},"error":null}`},
		{"error", func(p *Printer) error { p.Error(rootMissing); return nil },
			`{"command":"run","ok":false,"summary":"the folder for root \"codex\" does not exist: /mnt/nothing, from --root","result":null,"error":{"code":"files.root_missing","message":"the folder for root \"codex\" does not exist: /mnt/nothing, from --root","hint":"name a folder that exists"}}`},
		{"failed with a result", func(p *Printer) error { return p.Failed("3 records", 3, rootMissing, nil) },
			`{"command":"run","ok":false,"summary":"3 records","result":3,"error":{"code":"files.root_missing","message":"the folder for root \"codex\" does not exist: /mnt/nothing, from --root","hint":"name a folder that exists"}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var out, errs bytes.Buffer
			p := &Printer{Out: &out, Err: &errs, JSON: true, Command: "run"}
			if err := tc.end(p); err != nil {
				t.Fatal(err)
			}
			p.Error(errors.New("told already")) // nothing is printed twice
			if got := strings.TrimSuffix(out.String(), "\n"); got != tc.want || errs.Len() > 0 {
				t.Errorf("got  %s\nwant %s\nand  %s", got, tc.want, errs.String())
			}
			if !json.Valid(out.Bytes()) {
				t.Error("no JSON")
			}
		})
	}
}

func TestTextIsPrintedOnce(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	p := &Printer{Out: &out, Err: &errs}
	if err := p.Failed("sum", nil, rootMissing, func(w io.Writer) { io.WriteString(w, "text\n") }); err != nil {
		t.Fatal(err)
	}
	p.Error(rootMissing)
	if out.String() != "text\n" || strings.Count(errs.String(), "error:") != 1 {
		t.Errorf("out %q err %q", out.String(), errs.String())
	}
}

// A script finds the code in the last line of what it reads, and in one place; only
// where that cannot be written is the error elsewhere.
func TestErrorsEndWithTheEnvelope(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	p := &Printer{Out: &out, Err: &errs, JSON: true}
	p.Error(rootMissing)
	if !strings.Contains(out.String(), `"ok":false`) || !strings.Contains(out.String(), `"code":"files.root_missing"`) || errs.Len() > 0 {
		t.Errorf("out %q err %q", out.String(), errs.String())
	}
	p = &Printer{Out: full{}, Err: &errs, JSON: true}
	p.Error(rootMissing)
	if !strings.Contains(errs.String(), "[files.root_missing]") {
		t.Errorf("err %q", errs.String())
	}
}

// full is a disk that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestNumbers(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		Count(0): "0", Count(999): "999", Count(18204): "18 204", Count(-1234567): "-1 234 567",
		Plural(1, "record"): "1 record", Plural(0, "gap"): "0 gaps",
		Bytes(999): "999 B", Bytes(1000): "1.0 kB", Bytes(212_400_000): "212 MB", Bytes(31_900_000_000): "32 GB", Bytes(999_999): "1.0 MB",
		Binary(256 << 20): "256 MiB", Binary(1000): "1000 B",
		Seconds(8600 * time.Millisecond): "8.6 s", Seconds(125 * time.Second): "2 min 5 s", Seconds(63 * time.Minute): "1 h 3 min",
		ShortHash("3f1c000000009a"): "3f1c…9a", ShortHash("-"): "-",
		Cut("häuser", 4): "häu…", Cut("ab", 2): "ab", Cut("ab", 0): "",
		Clean("a\tb\x00c"): "a bc",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestStyle(t *testing.T) {
	t.Parallel()
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if s := StyleOf(f, func(string) string { return "" }); s.Terminal || s.Colour {
		t.Errorf("no terminal has %+v", s)
	}
	plain, colour := Style{}, Style{Colour: true, Symbols: true}
	if plain.Red("x") != "x" || colour.Red("x") != "\x1b[31mx\x1b[0m" || plain.Symbol("●") != "" || colour.Symbol("●") != "● " {
		t.Error("styles")
	}
	for locale, want := range map[string]bool{"": true, "C": false, "en_GB.UTF-8": true, "de_DE.utf8": true, "POSIX": false} {
		if utf8Locale(func(name string) string {
			if name == "LANG" {
				return locale
			}
			return ""
		}) != want {
			t.Errorf("%q", locale)
		}
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	Table(&b, Style{Width: 16}, []string{"name", "data"}, [][]string{{"ä", "short"}, {"long", "much too long\x1b"}})
	if want := "NAME  DATA\nä     short\nlong  much too …\n"; b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\x1b[1m\u202e\xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		for _, r := range got {
			if r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e {
				t.Fatalf("%q keeps %U", s, r)
			}
		}
		if Clean(got) != got {
			t.Fatal("cleaning twice differs")
		}
	})
}

// A row never wraps on a terminal, and the first column stays whole.
func TestTableFitsTheScreen(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	row := []string{"run_01kaj3m4xw8z9y", "claude_code", "stopped (its process is gone)", "01-02 15:04", "3 gaps, 2 rejected", "18 204 new, 3 changed"}
	Table(&b, Style{Terminal: true, Width: 80}, []string{"run", "connection", "status", "started", "not collected", "records"}, [][]string{row})
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if !strings.Contains(b.String(), "run_01kaj3m4xw8z9y  ") {
		t.Errorf("got %s", b.String())
	}
}

// On a terminal a wrapped cell goes on below itself, whole and within the width.
func TestWrappedCutsNothing(t *testing.T) {
	t.Parallel()
	row := []string{"Degraded", "a_connection", "See what it asks for: pdpp-host plugins accept a_connection", strings.Repeat("x", 70) + " end"}
	for _, width := range []int{60, 80, 200} {
		var b bytes.Buffer
		Wrapped(&b, Style{Terminal: true, Width: width}, []string{"health", "connection", "to do", "next"}, [][]string{slices.Clone(row)})
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("width %d: got a line of %d columns: %s", width, n, line)
			}
		}
		want := strings.Join(row, "") + "HEALTHCONNECTIONTO DONEXT"
		if got := b.String(); strings.Contains(got, "…") || !slices.Equal(letters(got), letters(want)) {
			t.Errorf("width %d: got %q, want each word of %q", width, got, want)
		}
	}
}

// letters returns the runes of s in order of their value, spaces left out.
func letters(s string) []rune {
	r := []rune(strings.Join(strings.Fields(s), ""))
	slices.Sort(r)
	return r
}

// A command that a second Ctrl-C ends says so once, in the form that was asked for.
func TestKilled(t *testing.T) {
	t.Parallel()
	stop := abi.NewError(abi.CodeInterrupted, "stopped at once", "run it again")
	for _, c := range []struct {
		name          string
		json          bool
		before        func(p *Printer)
		out, err, not string
	}{
		{"text", false, func(*Printer) {}, "", "stopped at once; run it again\n", ""},
		{"json", true, func(*Printer) {}, `{"command":"run","ok":false,"summary":"stopped at once"`, "", ""},
		{"after its end", true, func(p *Printer) { _ = p.Result("done", nil, nil) }, `"summary":"done"`, "", "stopped"},
	} {
		var out, err bytes.Buffer
		p := &Printer{Out: &out, Err: &err}
		p.Begin("run", c.json, false)
		c.before(p)
		p.Killed(stop)
		if !strings.HasPrefix(out.String(), c.out) && !strings.Contains(out.String(), c.out) || err.String() != c.err {
			t.Errorf("%s: wrote %q and %q, want %q and %q", c.name, out.String(), err.String(), c.out, c.err)
		}
		if c.not != "" && strings.Contains(out.String(), c.not) {
			t.Errorf("%s: wrote %q, want no %q", c.name, out.String(), c.not)
		}
	}
}

// A terminal acts on nothing that a record says, and the value stays the same.
func TestEscapeJSON(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"a":"plain, ümlaut 🎈"}`:          `{"a":"plain, ümlaut 🎈"}`,
		"{\"a\":\"\u3000\u00a0👩\u200d🚀\"}": "{\"a\":\"\u3000\u00a0👩\u200d🚀\"}",
		"{\"a\":\"\u202egpj.exe\"}\n":      "{\"a\":\"\\u202egpj.exe\"}\n",
		"{\"a\":\"\u009b2J\u0085\"}":       `{"a":"\u009b2J\u0085"}`,
		"{\"a\":\"\U000e0001\u200b\"}":     `{"a":"\udb40\udc01\u200b"}`,
		"{\"a\":\"\x1b[2J is no JSON\"}":   `{"a":"\u001b[2J is no JSON"}`,
	} {
		got := EscapeJSON(in)
		if got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
		var before, after any
		if json.Unmarshal([]byte(in), &before) == nil && (json.Unmarshal([]byte(got), &after) != nil || !reflect.DeepEqual(before, after)) {
			t.Errorf("%q means %v, want %v", got, after, before)
		}
	}
}

// Only who watches a terminal reads what takes its time.
func TestDoing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		terminal, quiet, json bool
		want                  string
	}{
		{true, false, false, "compiling a b\n"},
		{false, false, false, ""},
		{true, true, false, ""},
		{true, false, true, ""},
	} {
		var out, err bytes.Buffer
		p := &Printer{Out: &out, Err: &err, ErrStyle: Style{Terminal: c.terminal}, Quiet: c.quiet, JSON: c.json}
		p.Doing("compiling a\nb")
		if err.String() != c.want || out.Len() > 0 {
			t.Errorf("%+v: got %q and %q, want %q on standard error", c, err.String(), out.String(), c.want)
		}
	}
}

// Off a terminal one long cell pads no other row, and nothing is cut.
func TestALongCellPadsNoOtherRow(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	long := strings.Repeat("x", 60)
	Table(&b, Style{}, []string{"a", "b", "c"}, [][]string{{"1", long, "end"}, {"2", "-", "end"}})
	pad := strings.Repeat(" ", 41)
	if want := "A  B" + pad + "C\n1  " + long + "  end\n2  -" + pad + "end\n"; b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// discarding takes what is written to it, and closes.
type discarding struct{ bytes.Buffer }

func (*discarding) Close() error { return nil }

// A terminal gets nothing that it acts on but the colours of a style, where they may pass, and gets the
// same in whatever parts it was written.
func FuzzTerminal(f *testing.F) {
	for _, text := range []string{"plain", "\x1b[31mred\x1b[0m", "\x1b]52;c;AAAA\x07", "\u202e\x9b\xff", "a\rb\tc\n", "\x1b[3", "\x1b[31", "\xf0\x9f"} {
		f.Add([]byte(text), 3, true)
		f.Add([]byte(text), 1, false)
	}
	f.Fuzz(func(t *testing.T, text []byte, part int, colours bool) {
		show := func(part int) string {
			var to discarding
			s := &Sink{w: &to, terminal: true}
			w := io.Writer(s)
			if colours {
				w = s.Painted()
			}
			for rest := text; len(rest) > 0; {
				n := min(max(part, 1), len(rest))
				if m, err := w.Write(rest[:n]); m != n || err != nil {
					t.Fatalf("got %d of %d bytes written and %v", m, n, err)
				}
				rest = rest[n:]
			}
			return to.String()
		}
		whole, parts := show(len(text)), show(part)
		if whole != parts {
			t.Errorf("got %q in parts of %d, want %q", parts, part, whole)
		}
		left := whole
		if colours {
			for _, q := range sequences {
				left = strings.ReplaceAll(left, string(q), "")
			}
		}
		if at := strings.IndexFunc(left, func(r rune) bool {
			return unicode.Is(unicode.Bidi_Control, r) || unicode.IsControl(r) && r != '\n' && r != '\t'
		}); at >= 0 {
			t.Errorf("got %q of %q, want nothing that a terminal acts on", whole, text)
		}
	})
}
