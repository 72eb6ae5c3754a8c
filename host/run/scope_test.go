package run

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestResolveScope(t *testing.T) {
	t.Parallel()
	m := manifestOf(
		abi.Stream{Name: "a", ConsentTimeField: "at"}, abi.Stream{Name: "b", Selection: abi.Selection{Resources: true}},
		abi.Stream{Name: "inv", CoveragePolicy: abi.CoverageInventoryOnly},
		abi.Stream{Name: "later", CoveragePolicy: abi.CoverageDeferred},
		abi.Stream{Name: "never", CoveragePolicy: abi.CoverageUnsupported},
	)
	for _, tc := range []struct {
		name     string
		req      Request
		want     string
		narrowed bool
		code     abi.Code
	}{
		{"all that is meant to be collected", Request{}, `{"streams":[{"name":"a"},{"name":"b"},{"name":"inv"}]}`, false, ""},
		{"named ones, in the manifest's order", Request{Streams: []string{"later", "a"}}, `{"streams":[{"name":"a"},{"name":"later"}]}`, false, ""},
		{"since applies where there is a consent time", Request{Streams: []string{"a", "b"}, Since: time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)},
			`{"streams":[{"name":"a","time_range":{"since":"2026-01-02T03:00:00Z"}},{"name":"b"}]}`, true, ""},
		{"since without a consent time narrows nothing", Request{Streams: []string{"b"}, Since: time.Unix(1, 0)}, `{"streams":[{"name":"b"}]}`, false, ""},
		{"resources", Request{Streams: []string{"b"}, Resources: map[string][]string{"b": {"2", "1"}}}, `{"streams":[{"name":"b","resources":["1","2"]}]}`, true, ""},
		{"resources alone name their streams", Request{Resources: map[string][]string{"b": {"1"}}}, `{"streams":[{"name":"b","resources":["1"]}]}`, true, ""},
		{"unknown stream", Request{Streams: []string{"zzz"}}, "", false, abi.CodeStreamUnknown},
		{"resources of an unknown stream", Request{Resources: map[string][]string{"zzz": {"1"}}}, "", false, abi.CodeStreamUnknown},
		{"resources of a stream that has none", Request{Resources: map[string][]string{"a": {"1"}}}, "", false, abi.CodeUsage},
		{"resources of a stream left out", Request{Streams: []string{"a"}, Resources: map[string][]string{"b": {"1"}}}, "", false, abi.CodeUsage},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			scope, narrowed, err := resolveScope(m, tc.req)
			if tc.code != "" {
				if abi.CodeOf(err) != tc.code {
					t.Fatalf("got %v, want %s", err, tc.code)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got, _ := json.Marshal(scope)
			if string(got) != tc.want || narrowed != tc.narrowed {
				t.Fatalf("got %s narrowed %v, want %s narrowed %v", got, narrowed, tc.want, tc.narrowed)
			}
		})
	}
	if _, _, err := resolveScope(manifestOf(abi.Stream{Name: "never", CoveragePolicy: abi.CoverageUnavailable}), Request{}); abi.CodeOf(err) != abi.CodeManifestInvalid {
		t.Fatalf("got %v for an empty scope, want %s", err, abi.CodeManifestInvalid)
	}
}

// A refusal names the streams whose single records can be collected.
func TestSelectableStreams(t *testing.T) {
	t.Parallel()
	some := abi.Selection{Resources: true}
	for want, m := range map[string]*abi.Manifest{
		"leave --resource out: it can for no stream":    manifestOf(abi.Stream{Name: "a"}),
		"leave its --resource out; it can for b":        manifestOf(abi.Stream{Name: "a"}, abi.Stream{Name: "b", Selection: some}),
		"leave its --resource out; it can for b, later": manifestOf(abi.Stream{Name: "a"}, abi.Stream{Name: "b", Selection: some}, abi.Stream{Name: "later", Selection: some}),
	} {
		if got := selectable(m); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestStartMessage(t *testing.T) {
	t.Parallel()
	state := map[string][]byte{"a": []byte(`{"at":1}`)}
	raw, err := startMessage(abi.Start{RunID: "r1", CollectionMode: abi.ModeIncremental, Scope: scopeOf("a")}, state)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"START","run_id":"r1","collection_mode":"incremental","scope":{"streams":[{"name":"a"}]},"state":{"a":{"at":1}},"bindings":{}}`
	if string(raw) != want {
		t.Fatalf("got  %s\nwant %s", raw, want)
	}
	raw, _ = startMessage(abi.Start{RunID: "r1", CollectionMode: abi.ModeFullRefresh, Scope: scopeOf("a")}, state)
	if want := `{"type":"START","run_id":"r1","collection_mode":"full_refresh","scope":{"streams":[{"name":"a"}]},"state":null,"previous_state":{"a":{"at":1}},"bindings":{}}`; string(raw) != want {
		t.Fatalf("got  %s\nwant %s", raw, want)
	}
}

// A run counts and tells what its time leaves out, which is no lack. A run without a time, and one that left nothing out, tell nothing.
func TestWhatATimeLeavesOutIsTold(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{enumerate: true})
	since := func(r *Request) { r.Since, r.Boundary = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), true }
	outside := func(n int) string {
		return fmt.Sprintf(`account {"type":"ACCOUNT","streams":[{"stream":"notes","met":%d,"emitted":1,"not_record":5,"outside":%d}]}`, 6, n) + "\n" + strings.Replace(note, `"id":"n1"`, `"id":"n1","at":"2026-01-01T00:00:00Z"`, 1) + done(1)
	}
	for n, want := range map[int]string{
		0: "", 1: "1 item is left out: this run collects only what is dated from 2026-01-01T00:00:00Z on", 3: "3 items are left out: this run collects only what is dated from 2026-01-01T00:00:00Z on",
	} {
		var said string
		for _, g := range h.succeed(outside(n), since).KnownGaps {
			if said += g.Message; g.Kind != KindScope || g.Reason != ReasonOutOfScope || g.Severity != severityInformational || g.Count != int64(n) || g.Stream != "notes" {
				t.Errorf("%d outside: got %+v, want a gap that is no lack", n, g)
			}
		}
		if said != want {
			t.Errorf("%d outside: told %q, want %q", n, said, want)
		}
	}
	if got := h.succeed(outside(3)).KnownGaps; len(got) != 0 {
		t.Errorf("a run without a time: got %+v, want nothing left out", got)
	}
}
