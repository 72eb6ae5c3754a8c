package api

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

// A client that asks for cursors in pages gets at most one answer's worth at a time, each
// cursor once and in order; any other client gets all of them, as before.
func TestCursorsComeInPages(t *testing.T) {
	t.Parallel()
	l := ready(t)
	path := device.PathState(l.DeviceID, l.SourceInstanceID)
	after := func(stream string) string { return device.PathStateAfter(l.DeviceID, l.SourceInstanceID, stream) }
	var s device.State
	l.must(http.StatusOK, l.send(http.MethodGet, after(""), nil), &s)
	if len(s.State) != 1 || s.Next != "" || s.UpdatedAt != nil || s.ManifestSHA256 == "" || s.ConnectorInstanceID != l.ConnectorInstanceID {
		t.Errorf("nothing yet: %+v", s)
	}
	large := json.RawMessage(`{"x":"` + strings.Repeat("x", 5<<20) + `"}`)
	put := func(path string, state map[string]json.RawMessage) device.State {
		var s device.State
		l.must(http.StatusOK, l.send(http.MethodPut, path, device.StateCommit{RunID: "run_1", State: state}), &s)
		return s
	}
	put(after(""), map[string]json.RawMessage{"log": large})
	s = put(after(""), map[string]json.RawMessage{"tops": large})
	if got := slices.Sorted(maps.Keys(s.State)); !slices.Equal(got, []string{"tops"}) || s.Next != "" || s.UpdatedAt == nil {
		t.Errorf("a commit is answered with %v, %q", got, s.Next)
	}
	s = put(path, map[string]json.RawMessage{"notes": json.RawMessage("null")})
	if got := slices.Sorted(maps.Keys(s.State)); !slices.Equal(got, []string{device.ScopeKey, "log", "notes", "tops"}) || s.Next != "" {
		t.Errorf("a commit without pages is answered with %v, %q", got, s.Next)
	}
	var pages [][]string
	for next, more := "", true; more && len(pages) < 9; next, more = s.Next, s.Next != "" {
		s = device.State{}
		a := l.send(http.MethodGet, after(next), nil)
		l.must(http.StatusOK, a, &s)
		if len(a.body) > statePage+1<<10 {
			t.Errorf("a page of %d bytes", len(a.body))
		}
		pages = append(pages, slices.Sorted(maps.Keys(s.State)))
		for stream, cursor := range s.State {
			if stream != "notes" && stream != device.ScopeKey && len(cursor) != len(large) {
				t.Errorf("the cursor of %s has %d bytes", stream, len(cursor))
			}
		}
	}
	if len(pages) != 2 || !slices.Equal(pages[0], []string{device.ScopeKey, "log", "notes"}) || !slices.Equal(pages[1], []string{"tops"}) {
		t.Errorf("pages %v", pages)
	}
	s = device.State{}
	l.must(http.StatusOK, l.send(http.MethodGet, path, nil), &s)
	if len(s.State) != 4 || s.Next != "" {
		t.Errorf("without pages: %d cursors, then %q", len(s.State), s.Next)
	}
	s = device.State{}
	l.must(http.StatusOK, l.send(http.MethodGet, after("zzz"), nil), &s)
	if len(s.State) != 0 || s.Next != "" {
		t.Errorf("behind the last: %d cursors, then %q", len(s.State), s.Next)
	}
	for _, bad := range []string{strings.Repeat("a", 3000), "a\x00", "\xff"} {
		f := l.refuses(http.StatusBadRequest, device.CodeBadRequest, l.send(http.MethodGet, after(bad), nil))
		if f.Param != device.StateAfter {
			t.Errorf("%+v", f)
		}
	}
	l.refuses(http.StatusBadRequest, device.CodeBadRequest, l.send(http.MethodGet, after("")+"&after=log", nil))
}
