package dev

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// written writes an export of one stream, notes.
func written(t testing.TB, lines ...string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes.jsonl"), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func line(key, data string) string {
	return fmt.Sprintf(`{"stream":"notes","key":%q,"seq":7,"data":%s}`, key, data)
}

func TestCompare(t *testing.T) {
	t.Parallel()
	last := written(t, line("a", `{"id":"a","n":1}`), line("b", `{"id":"b"}`), line("d", `{"id":"d","n":[1]}`))
	next := written(t, line("a", `{"id":"a","n":2}`), line("c", `{"id":"c"}`), line("d", `{"id":"d","n":[1]}`))
	got, err := compare(last, next)
	want := []*Stream{{Name: "notes", Records: 3, New: 1, Changed: 1, Gone: 1, Shown: []*Record{
		{Key: "a", Kind: "changed", Fields: []Field{{"n", "1", "2"}}}, {Key: "b", Kind: "gone"}, {Key: "c", Kind: "new"},
	}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v (%v), want %+v", got, err, want)
	}
	got, err = compare(filepath.Join(last, "none"), next)
	if err != nil || len(got) != 1 || got[0].New != 3 || got[0].Gone != 0 {
		t.Errorf("got %+v (%v), want three new records where there was no round before", got, err)
	}
	if _, err := compare(last, written(t, line("a", `{"id":"a"}`), "no JSON")); err == nil {
		t.Error("got no error for an export that is no JSON, want one")
	}
}

// A field that is null in every record of the new export is told, whatever the one before had.
func TestCompareTellsOfNulls(t *testing.T) {
	t.Parallel()
	last := written(t, line("a", `{"id":"a","n":1}`), line("d", `{"id":"d","n":1}`))
	next := written(t, line("a", `{"id":"a","n":null}`), line("b", `{"id":"b","n":null}`), line("c", `{"id":"c","n":null}`))
	got, err := compare(last, next)
	if err != nil || len(got) != 1 || !slices.Equal(got[0].Null, []string{"n"}) {
		t.Errorf("got %+v (%v), want n to be null in every record", got, err)
	}
}

// Two exports are merged as sets of keys would be, whatever is in them.
func TestCompareCounts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		draw := func(name string) map[string]string {
			return rapid.MapOf(rapid.StringMatching(`[a-e]{1,2}`), rapid.SampledFrom([]string{`{"n":1}`, `{"n":2}`})).Draw(rt, name)
		}
		was, is := draw("was"), draw("is")
		var want Stream
		for key, data := range is {
			switch old, kept := was[key]; {
			case !kept:
				want.New++
			case old != data:
				want.Changed++
			}
		}
		for key := range was {
			if _, kept := is[key]; !kept {
				want.Gone++
			}
		}
		got, err := compare(exported(t, was), exported(t, is))
		if err != nil || len(got) != 1 || got[0].Records != int64(len(is)) || got[0].New != want.New || got[0].Changed != want.Changed || got[0].Gone != want.Gone {
			rt.Fatalf("got %+v (%v), want %+v of %d records", got, err, want, len(is))
		}
	})
}

func exported(t testing.TB, records map[string]string) string {
	t.Helper()
	var lines []string
	for key, data := range records {
		lines = append(lines, line(key, data))
	}
	slices.Sort(lines)
	if len(lines) == 0 {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "notes.jsonl"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	return written(t, lines...)
}

func TestManifestKey(t *testing.T) {
	t.Parallel()
	for manifest, want := range map[string]string{
		`{"connector_key":"my_notes"}`: "my_notes", `{"connector_key":"../x"}`: "", `{"connector_key":"."}`: "", `{}`: "", `no JSON`: "",
	} {
		if got := keyOf([]byte(manifest)); got != want {
			t.Errorf("%s: got %q, want %q", manifest, got, want)
		}
	}
}

// A round is configured by nothing of the owner's own host.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	got := ownEnviron([]string{"HOME=/home/ana", "PDPP_STORAGE_DSN=postgres://ana@db/mine", "PDPP_DATA_DIR=/data", "MY_NOTES_TOKEN=x", "PDPP_CODEX_QUIET_MS=1"})
	if want := []string{"HOME=/home/ana", "MY_NOTES_TOKEN=x", "PDPP_CODEX_QUIET_MS=1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
