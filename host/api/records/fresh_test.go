package records

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/storage"
)

// RD-30.1, RD-30.2, RD-10.3: how young a stream is comes from what was kept of runs; a client
// learns no attempt, and times to the minute, and no change of a record moves them.
func TestFreshness(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	c, err := b.store.Connection(t.Context(), "one")
	b.ok(err)
	b.ok(b.store.PinPlugin(t.Context(), c.ID, "aa", []byte(strings.Replace(manifest, `{"connector_id"`, `{"capabilities":{"refresh_policy":{"recommended_mode":"automatic","maximum_staleness_seconds":3600}},"connector_id"`, 1))))
	const empty = `"name":"notes","record_count":0,`
	if got := b.get("client", "/v1/streams"); !strings.Contains(got.body, empty) || !strings.Contains(got.body, `"freshness":{"status":"unknown"}`) {
		t.Errorf("before a run: got %s, want the granted stream with no record (RD-10.2)", got.body)
	}
	if got := b.get("client", "/v1/streams/notes"); got.status != 200 {
		t.Errorf("before a run: got %d %s, want what is declared of the stream", got.status, got.body)
	}
	b.put("one", "notes", "a", `{"id":"a"}`)
	const whole, part = `"freshness":{"status":"current","captured_at":"2026-01-02T03:04:05Z","last_attempted_at":"2026-01-02T03:04:05Z"}`, `"freshness":{"status":"current","captured_at":"2026-01-02T03:04:00Z"}`
	for _, path := range []string{"/v1/streams?connection_id=" + c.ID, "/v1/streams/notes?connection_id=" + c.ID, "/v1/connectors?connection_id=" + c.ID} {
		if got := b.get(b.owner, path); !strings.Contains(got.body, whole) {
			t.Errorf("%s: got %s for the owner, want %s", path, got.body, whole)
		}
		if got := b.get("client", path); !strings.Contains(got.body, part) || strings.Contains(got.body, "attempted") || strings.Contains(got.body, "03:04:05") {
			t.Errorf("%s: got %s for a client, want %s", path, got.body, part)
		}
	}
	if got := b.get(b.owner, "/v1/connections?connection_id="+c.ID); got.status != 200 || !strings.Contains(got.body, `"detail":{`) {
		t.Errorf("got %d %s, want the whole verdict for the owner", got.status, got.body)
	}
	b.fail("one", "notes")
	if got := b.get("client", "/v1/streams"); !strings.Contains(got.body, `"freshness":{"status":"stale","captured_at":"2026-01-02T03:04:00Z"}`) {
		t.Errorf("after a failure: got %s, want the stream to be stale", got.body)
	}
}

// fail has a run of a stream end without it.
func (b *bed) fail(connection, stream string) {
	b.Helper()
	b.runs++
	w, err := b.store.BeginRun(b.Context(), storage.NewRun{
		RunID: fmt.Sprintf("run%d", b.runs), ConnectionID: b.ids[connection], Connector: "demo", Version: "1", ModuleSHA256: "aa", Mode: "incremental",
		Bookmark: storage.BookmarkIncremental, Holder: "holder", Streams: []string{stream}, LeaseTTL: time.Minute,
	})
	b.ok(err)
	b.ok(w.Finish(b.Context(), storage.Outcome{Status: "failed", Reason: "canary_reason"}))
}

// RD-13: the latest of several times is found among them as times, whatever their zone.
func TestLater(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"2026-01-01T23:00:00Z", "2026-01-02T00:30:00+02:00", "2026-01-01T23:00:00Z"},
		{"2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00.5Z"},
		{"", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"},
		{"2026-01-01T00:00:00Z", "", "2026-01-01T00:00:00Z"},
	} {
		if got := later(c[0], c[1]); got != c[2] {
			t.Errorf("later(%s, %s): got %s, want %s", c[0], c[1], got, c[2])
		}
	}
}

// RD-30.3, RD-30.4, HL-06.2, HL-19.2, HL-27.4: the bytes of a client hold nothing of a verdict but its state, how
// young its data is, and the progress of the granted streams of its connections; the owner's hold all.
func TestConnectionsAsAClientSeesThem(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	var full verdict.RenderedVerdict
	fill(reflect.ValueOf(&full).Elem(), 0)
	full.Pill = verdict.Pill{Tone: verdict.Red, Label: canary}
	full.Annotations = []verdict.Annotation{{Kind: "freshness", Code: "stale_since", Text: "Last refreshed today."}, {Kind: "attention", Code: canary, Text: canary}}
	full.Streams = []verdict.StreamRow{
		{StreamID: "notes", Coverage: health.CoverageGaps, Disposition: canary, Statement: canary, Code: canary, ActionRef: new(0), Collected: new(int64(74205813)), Considered: new(int64(74205813))},
		{StreamID: "other_" + canary, Coverage: health.CoverageGaps, Statement: canary},
	}
	var asked [][]string
	verdicts := 0
	b.server.Tell = func(_ context.Context, ids []string) (all []owner.Told, err error) {
		asked = append(asked, ids)
		for _, name := range []string{"one", "two"} {
			if slices.Contains(ids, b.ids[name]) {
				all = append(all, owner.Told{ID: b.ids[name], Name: name, Connector: "demo", Verdict: func() verdict.RenderedVerdict { verdicts++; return full }, Fresh: func(string) stored.Fresh { return stored.Fresh{} }})
			}
		}
		return all, nil
	}
	got := b.get("client", "/v1/connections")
	if got.status != 200 || strings.Contains(got.body, canary) || strings.Contains(got.body, canaryNumber) || !strings.Contains(got.body, "Last refreshed today.") || !strings.Contains(got.body, `"pill":{"tone":"amber","label":"Degraded"}`) || strings.Count(got.body, `"stream_id"`) != 1 || len(got.Data) != 1 {
		t.Errorf("got %d %s, want one connection with one stream and no canary", got.status, got.body)
	}
	if len(asked) != 1 || fmt.Sprint(asked[0]) != "["+b.ids["one"]+"]" {
		t.Errorf("looked at %v, want the granted connection alone", asked)
	}
	if got := b.get("client", "/v1/connections?connection_id="+b.ids["two"]); got.status != 404 || got.Error.Code != "connection_not_found" {
		t.Errorf("got %d %s, want another connection to be none", got.status, got.body)
	}
	if b.get(b.owner, "/v1/streams"); verdicts != 1 {
		t.Errorf("%d verdicts were made, want the one that was shown", verdicts)
	}
	full.Detail = nil // its words are fixed: a canary is none of them
	if got := b.get(b.owner, "/v1/connections"); got.status != 200 || len(got.Data) != 2 || !strings.Contains(got.body, `"statement":"`+canary) {
		t.Errorf("got %d %s, want both with the whole verdict for the owner", got.status, got.body)
	}
}

const canaryNumber = "74205813"

// fill puts canaries into everything that a value holds, so deep.
func fill(v reflect.Value, deep int) {
	if at, is := reflect.TypeAssert[*health.Instant](v.Addr()); is {
		at.Time = time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC)
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(canary)
	case reflect.Int, reflect.Int64:
		v.SetInt(74205813)
	case reflect.Pointer:
		if deep < 8 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), deep+1)
		}
	case reflect.Slice:
		if deep < 8 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0), deep+1)
		}
	case reflect.Struct:
		for _, f := range v.Fields() {
			if f.CanSet() {
				fill(f, deep+1)
			}
		}
	default:
	}
}
