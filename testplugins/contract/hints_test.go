package contract

import (
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// Each strategy has evidence of its own, and a record with a cursor is not that of all.
func TestEvidenceOfAStrategy(t *testing.T) {
	t.Parallel()
	cursor := &run.Result{Checkpoints: run.Checkpoints{Committed: []string{"a"}}}
	whole := &run.Result{Whole: []string{"a"}, Accounted: []string{"b"}}
	for _, c := range []struct {
		strategy string
		res      *run.Result
		files    bool
		want     string
	}{
		{"full_inventory", cursor, false, "an enumeration that is said to be whole"},
		{"full_inventory", cursor, true, ""},
		{"full_inventory", whole, false, ""},
		{"parent_detail_accounting", cursor, false, "a DETAIL_COVERAGE"},
		{"parent_detail_accounting", whole, false, "a DETAIL_COVERAGE"},
		{"parent_detail_accounting", &run.Result{Accounted: []string{"a"}}, false, ""},
		{"checkpoint_window", cursor, false, ""},
		{"checkpoint_window", whole, false, "a cursor"},
		{"snapshot_import_receipt", whole, true, "a cursor"},
		{"singleton_presence", new(run.Result), false, ""},
	} {
		if got := c.res.Lacking(&abi.Stream{Name: "a", CoverageStrategy: c.strategy}, c.files); got != c.want {
			t.Errorf("%s, %+v: got %q, want %q", c.strategy, c.res, got, c.want)
		}
	}
}

// The suite warns of a stream whose evidence never came.
func TestWarnsOfMissingEvidence(t *testing.T) {
	t.Parallel()
	ranked := "when \"name\":\"ranked\" " + `emit {"type":"RECORD","stream":"ranked","key":["x","y"],"data":{"id":"x","range":"y"},"emitted_at":"2026-01-01T00:00:00Z"}` + "\n"
	r := check(t, Options{File: scripted(t), Roots: folder(t), Options: map[string]string{"script": ranked + honest()}})
	if warned := strings.Join(r.Warnings, "\n"); !strings.Contains(warned, "stream ranked declares full_inventory, and its records came without an enumeration that is said to be whole") {
		t.Errorf("warned of %q, want the evidence of ranked", warned)
	}
}

// A field that no record has a value of is told, where there are records enough.
func TestNulls(t *testing.T) {
	t.Parallel()
	var n Nulls
	for i, data := range []string{`{"id":"a","title":null,"text":null}`, `{"id":"b","title":null,"text":"x"}`, `no JSON`, `{"id":"c","title":null}`} {
		if i < 3 && n.Fields() != nil {
			t.Errorf("%d records: got %q, want nothing yet", n.Records, n.Fields())
		}
		n.Add([]byte(data))
	}
	if got := n.Fields(); !slices.Equal(got, []string{"title"}) {
		t.Errorf("got %q, want title", got)
	}
}

// A module's line of its log names places; any other line names nothing.
func TestPlaces(t *testing.T) {
	t.Parallel()
	if got := Places(PlacesPrefix + "next of /notes, total of the stream notes"); len(got) != 2 || got[1] != "total of the stream notes" {
		t.Errorf("got %q, want two places", got)
	}
	if got := Places("read " + PlacesPrefix); got != nil {
		t.Errorf("got %q, want nothing", got)
	}
}

// The suite warns of both, and breaks no clause.
func TestWarnsOfNames(t *testing.T) {
	t.Parallel()
	note := `emit {"type":"RECORD","stream":"notes","key":"KEY","data":{"id":"KEY","title":null},"emitted_at":"2026-01-01T00:00:00Z"}` + "\n"
	script := "log 1 " + PlacesPrefix + "next of /notes\n"
	for _, key := range []string{"x", "y", "z"} {
		script += whenNotes + `unless "notes":{"at" unless "resources" unless "time_range" ` + strings.ReplaceAll(note, "KEY", key)
	}
	r := check(t, Options{File: scripted(t), Roots: folder(t), Options: map[string]string{"script": script + state("notes") + "finish"}})
	warned := strings.Join(r.Warnings, "\n")
	if !strings.Contains(warned, "no page has next of /notes") || !strings.Contains(warned, "stream notes: null in each of 3 records: title;") {
		t.Errorf("warned of %q, want the place and the field", warned)
	}
}
