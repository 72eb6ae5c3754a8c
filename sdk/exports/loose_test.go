package exports

import (
	"fmt"
	"io/fs"
	"slices"
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

// If rules begin and end at more places than are remembered, the files beyond those are reported as read.
func TestRulesAreBounded(t *testing.T) {
	t.Parallel()
	var f fates
	for i := range 3 * maxRules {
		f.add(fmt.Sprint(i), Rule, "", []string{"a", "b"}[i%2])
	}
	v, err := jsonvalue.Parse(f.appendJSON(nil))
	if err != nil {
		t.Fatal(err)
	}
	if got := readFates(v); len(f.rules) != maxRules || !slices.Equal(got.rules, f.rules) || got.n != f.n {
		t.Errorf("got %d and %d places, want %d", len(f.rules), len(got.rules), maxRules)
	}
}
