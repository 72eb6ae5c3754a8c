package exports

import (
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/accounts"
	"github.com/pdpp-host/pdpp-host/sdk/archive"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// loose accounts for loose files, of which more were not read than are remembered.
type loose struct{ known int }

func (loose) Manifest() string {
	return `{"connector_key":"notes","streams":[{"name":"notes","primary_key":["id"],"semantics":"mutable_state"}]}`
}

func (l loose) Collect(h *sdk.Host) error {
	var b Books
	s := Source{}
	b.fates.add("read", Read, "", "")
	s.loose = append(s.loose, archive.Loose{Path: "read"})
	for i := range l.known {
		name := fmt.Sprint(i)
		b.fates.add(name, Unknown, "", "")
		s.loose = append(s.loose, archive.Loose{Path: name})
	}
	f := Folder{name: "in"}
	f.accountLoose(accounts.Open(h), &s, &b.fates, "")
	return nil
}

// AC-02: a loose file is called read only where the names of all that were not are known.
func TestLooseFilesBeyondTheNames(t *testing.T) {
	t.Parallel()
	for known, want := range map[int]string{1: abi.FileRead, maxLeft: abi.FileRead, maxLeft + 1: ""} {
		res := sdktest.Collect(t, loose{known}, sdktest.Options{})
		if got := res.File("in", "read"); got != want {
			t.Errorf("%d: the one that was read: got %q, want %q", known, got, want)
		}
		if got := res.File("in", "0"); got != abi.FileUnknown {
			t.Errorf("%d: the first of the others: got %q, want %q", known, got, abi.FileUnknown)
		}
		if got := res.File("in", fmt.Sprint(maxLeft)); got != "" {
			t.Errorf("%d: the one beyond: got %q, want no word", known, got)
		}
	}
}

// sorted passes over loose files by rules, one of which is in a file whose content says so.
type sorted struct{}

func (sorted) Manifest() string {
	return `{"connector_key":"notes","streams":[{"name":"notes","primary_key":["id"],"semantics":"mutable_state"}]}`
}

func (sorted) Collect(h *sdk.Host) error {
	folder, err := Open(h, "notes")
	if err != nil {
		return err
	}
	var e Each
	e.Read = func(f *File) (Outcome, error) {
		switch f.Ending() {
		case ".jpg":
			return Outcome{Fate: Rule, Kind: "pictures"}, nil
		case ".raw":
			return Outcome{}, nil
		case ".txt":
			return Outcome{Fate: Read}, Drain(f)
		}
		return Outcome{Fate: Rule, Kind: "albums"}, Drain(f)
	}
	return e.Run(h, folder)
}

// AC-02: the rule by which a loose file is passed over is said, in the first run and in the next,
// in which nothing is opened.
func TestLooseFilesThatRulesPassOver(t *testing.T) {
	t.Parallel()
	dir := fstest.MapFS{}
	for _, p := range []string{"a.txt", "b.jpg", "c.jpg", "d.json", "e.txt", "f.raw", "g.json", "h.jpg"} {
		dir[p] = &fstest.MapFile{Data: []byte(p)}
	}
	dir["i.jpg"] = &fstest.MapFile{}
	res := sdktest.Collect(t, sorted{}, sdktest.Options{Roots: map[string]fs.FS{"notes": dir}})
	for range 2 {
		for path, want := range map[string]string{
			"a.txt": abi.FileRead, "b.jpg": "pictures", "c.jpg": "pictures", "d.json": "albums", "e.txt": abi.FileRead, "f.raw": abi.FileUnknown,
			"g.json": "albums", "h.jpg": "pictures", "i.jpg": abi.FileRead,
		} {
			got := res.File("notes", path)
			if got == abi.FileRule {
				got = ruleOf(res, path)
			}
			if got != want {
				t.Errorf("%s: got %q, want %q", path, got, want)
			}
		}
		res = res.SecondRun(t, nil)
	}
}

// ruleOf returns the rule that the run names for a file.
func ruleOf(res *sdktest.Result, path string) (rule string) {
	for _, a := range res.Accounts {
		for _, f := range a.Files {
			if f.Path == path {
				rule = f.Reason
			}
		}
	}
	return rule
}

// AC-02: however often rules begin and end among the files of a folder, each is remembered, and a regular
// change of them costs the cursor little.
func TestEachRuleIsRemembered(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rule  func(i int) string
		bytes int
	}{
		"pictures and their descriptions": {func(i int) string { return []string{"", "pictures"}[i%2] }, 100},
		"two rules in turn":               {func(i int) string { return []string{"a", "b"}[i%2] }, maxFiles * 8},
		"no order":                        {func(i int) string { return []string{"", "pictures", "albums"}[i*i%7%3] }, maxFiles * 16},
		"one among more and more": {func(i int) string {
			if k := int(math.Sqrt(float64(2 * i))); k*(k+1)/2 == i {
				return ""
			}
			return "pictures"
		}, 12_000},
		"files of one rule": {func(int) string { return "pictures" }, 100},
	} {
		var f fates
		for i := range maxFiles {
			if rule := c.rule(i); rule != "" {
				f.add(fmt.Sprint(i), Rule, "", rule)
			} else {
				f.add(fmt.Sprint(i), Read, "", "")
			}
		}
		b := f.appendJSON(nil)
		v, err := jsonvalue.Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		got := readFates(v)
		if !slices.Equal(got.rules, f.rules) || got.n != f.n || len(b) > c.bytes {
			t.Errorf("%s: got %d and %d places in %d bytes, want all of them in %d", name, len(f.rules), len(got.rules), len(b), c.bytes)
		}
		rest := f.rules
		for i := range int64(maxFiles) {
			for len(rest) > 0 && rest[0].from+rest[0].n <= i {
				rest = rest[1:]
			}
			is := ""
			if len(rest) > 0 && rest[0].from <= i {
				is = rest[0].rule
			}
			if want := c.rule(int(i)); is != want {
				t.Fatalf("%s: file %d is passed over by %q, want %q", name, i, is, want)
			}
		}
	}
}

// The files of an archive are counted with it, and their rules are not remembered.
func TestRulesOfAnArchive(t *testing.T) {
	t.Parallel()
	b := NewBooks()
	for _, place := range []string{"x.zip: a.jpg", "a.jpg"} {
		if err := b.SettleFile(&File{Entry: archive.Entry{Name: "a.jpg", Size: 1}, Place: place}, Outcome{Fate: Rule, Kind: "pictures"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if len(b.fates.rules) != 1 || b.fates.rules[0].from != 1 || b.fates.n[Rule] != 2 {
		t.Errorf("got the rules %v of %d files, want that of the loose one", b.fates.rules, b.fates.n[Rule])
	}
}

// A cursor says no more of rules than a folder has files.
func TestRulesOfACursorAreBounded(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0 1 a*900000000000", "0 1 a*", "0 1 a*-1", "0 -1 a", "-1 1 a", "0 1"} {
		var f fates
		if f.readRules(text); len(f.rules) > maxFiles || len(text) < 18 && len(f.rules) > 0 {
			t.Errorf("%q: got %d places, want none that a folder cannot have", text, len(f.rules))
		}
	}
}

// AC-10: no advice empties the folder, which would end the collection: a file may be the only one.
func TestNoAdviceEmptiesTheFolder(t *testing.T) {
	t.Parallel()
	for _, p := range faults {
		if strings.Contains(p.Text, "take ") && strings.Contains(p.Text, " out") {
			t.Errorf("%s: %q has a file taken out, which may be the only one", p.Code, p.Text)
		}
	}
}
