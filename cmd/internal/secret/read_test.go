package secret

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/vault"
)

func TestReadLine(t *testing.T) {
	t.Parallel()
	if Most != vault.MaxValue {
		t.Errorf("a secret of %d bytes is read, one of %d kept", Most, vault.MaxValue)
	}
	longest := strings.Repeat("k", Most)
	for name, c := range map[string]struct {
		in, want string
		refused  bool
	}{
		"a line":                  {"hunter2\n", "hunter2", false},
		"no end of line":          {"hunter2", "hunter2", false},
		"an end of line of DOS":   {"hunter2\r\n", "hunter2", false},
		"blanks are part of it":   {" hunter2 \n", " hunter2 ", false},
		"empty lines behind it":   {"hunter2\n\n \n", "hunter2", false},
		"the longest":             {longest, longest, false},
		"the longest with an end": {longest + "\r\n", longest, false},
		"not ASCII":               {"pässwörd\n", "pässwörd", false},
		"too long":                {longest + "k", "", true},
		"too long with an end":    {longest + "k\n", "", true},
		"far too long":            {strings.Repeat("k", 1<<20), "", true},
		"nothing":                 {"", "", true},
		"an empty line":           {"\n", "", true},
		"an empty line first":     {"\nhunter2\n", "", true},
		"two lines":               {"hunter2\nhunter3\n", "", true},
		"a NUL":                   {"hun\x00ter2\n", "", true},
		"an escape":               {"hun\x1bter2\n", "", true},
		"a carriage return":       {"hun\rter2\n", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := readLine(strings.NewReader(c.in))
			if err == nil {
				got, err = check(got)
			}
			if string(got) != c.want || (err != nil) != c.refused {
				t.Fatalf("%d bytes, %v", len(got), err)
			}
			if err != nil && (abi.CodeOf(err) != abi.CodeUsage || strings.Contains(err.Error(), "ter2")) {
				t.Error(err)
			}
		})
	}
}

// A pipe hands over what it has: the line may come in parts.
func TestReadLineInParts(t *testing.T) {
	t.Parallel()
	got, err := readLine(iotest.OneByteReader(strings.NewReader("hunter2\r\nlater")))
	if err != nil || string(got) != "hunter2" {
		t.Errorf("%q %v", got, err)
	}
	if _, err := readLine(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("hunter2")))); err == nil {
		t.Error("half a line was taken")
	}
	if got, err := readLine(iotest.DataErrReader(strings.NewReader("hunter2\n"))); err != nil || string(got) != "hunter2" {
		t.Errorf("%q %v", got, err)
	}
}

func FuzzReadLine(f *testing.F) {
	f.Add([]byte("hunter2\r\n\n"), true)
	f.Add([]byte("a\nb"), false)
	f.Fuzz(func(t *testing.T, in []byte, slow bool) {
		var r io.Reader = bytes.NewReader(in)
		if slow {
			r = iotest.HalfReader(r)
		}
		got, err := readLine(r)
		if err != nil {
			return
		}
		first, _, _ := bytes.Cut(in, []byte("\n"))
		if !bytes.Equal(got, bytes.TrimSuffix(first, []byte("\r"))) && !bytes.Equal(got, first) {
			t.Fatalf("%q of %q", got, in)
		}
		if kept, err := check(bytes.Clone(got)); err == nil && !bytes.Equal(kept, got) {
			t.Fatal("changed")
		}
	})
}

// A line belongs to each field; one more belongs to nobody, and is in no error.
func TestSplit(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "[ ]", "\n": "[ ]", "a": "[a ]", "a\nb": "[a b]", "a\r\nb\r\n": "[a b]", "\nb\n": "[ b]", "a\nb\nhunter2\n": "",
	} {
		got, err := split([]byte(in), 2)
		text := ""
		if err == nil {
			text = fmt.Sprintf("%s", got)
		}
		if text != want || err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: got %s, %v, want %s", in, text, err, want)
		}
	}
	if _, err := split([]byte("x"), 0); err == nil {
		t.Error("no field: got no error, want one")
	}
}

func FuzzSplit(f *testing.F) {
	f.Add([]byte("a\r\n\nb"), 3)
	f.Fuzz(func(t *testing.T, in []byte, n int) {
		n = min(max(n, 0), 20)
		if lines, err := split(bytes.Clone(in), n); err == nil && len(lines) != n {
			t.Fatalf("got %d lines, want %d", len(lines), n)
		}
	})
}
