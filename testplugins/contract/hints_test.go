package contract

import (
	"slices"
	"strings"
	"testing"
)

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
