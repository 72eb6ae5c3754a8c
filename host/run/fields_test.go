package run

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// twenty are notes with a text, a JSON value.
func twenty(from int, text string) string {
	var b strings.Builder
	for i := from; i < from+20; i++ {
		fmt.Fprintf(&b, `emit {"type":"RECORD","stream":"notes","key":"n%d","data":{"id":"n%d","text":%s,"at":null},"emitted_at":"2026-01-01T00:00:00Z"}`+"\n", i, i, text)
	}
	return b.String()
}

// AC-05: a field that carried data and is null from one run to the next is told, in each run until
// it carries data again, and the connection is not healthy meanwhile.
func TestAFieldDisappears(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{enumerate: true})
	told := func(res *Result) []string {
		at := slices.IndexFunc(res.KnownGaps, func(g KnownGap) bool { return g.Kind == "field_disappeared" && g.Stream == "notes" })
		if at < 0 {
			return nil
		}
		names, _ := res.KnownGaps[at].Named()
		return names
	}
	for _, step := range []struct {
		name, script string
		change       func(*Request)
		want         []string
	}{
		{"with data", twenty(0, `"x"`), nil, nil},
		{"too few", note, nil, nil},
		{"part of it", twenty(0, `null`), func(r *Request) { r.Resources = map[string][]string{"notes": keysOf(20)} }, nil},
		{"null", twenty(0, `null`), nil, []string{"text"}},
		{"nothing new", "", nil, []string{"text"}},
		{"still null", twenty(20, `null`), nil, []string{"text"}},
		{"refreshed", twenty(0, `null`), func(r *Request) { r.Mode = abi.ModeFullRefresh }, []string{"text"}},
		{"data again", twenty(0, `""`), nil, nil},
		{"as before", twenty(40, `"y"`), nil, nil},
	} {
		res := h.succeed(step.script+"finish", func(r *Request) {
			if step.change != nil {
				step.change(r)
			}
		})
		if got := told(res); !slices.Equal(got, step.want) {
			t.Errorf("%s: got %v, want %v told", step.name, got, step.want)
		}
		if v := h.verdict(); step.want != nil && (v.Pill.Tone != verdict.Amber || v.ForwardCode != "connector_flaw") {
			t.Errorf("%s: got %s, want that it is not healthy", step.name, v.Pill.Label)
		}
	}
}

func keysOf(n int) (keys []string) {
	for i := range n {
		keys = append(keys, fmt.Sprint("n", i))
	}
	return keys
}

// A run that failed says nothing of fields, and forgets none.
func TestAFailedRunForgetsNoField(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{enumerate: true})
	h.succeed(twenty(0, `"x"`) + "finish")
	h.mustPlay(twenty(0, `null`) + `done {"type":"DONE","status":"failed","records_emitted":20,"error":{"message":"m","retryable":true}}`)
	conn, err := h.store.Connection(t.Context(), "scripted")
	if err != nil {
		t.Fatal(err)
	}
	fields, err := h.store.Fields(t.Context(), conn.ID)
	if err != nil || !slices.Equal(fields["notes"].Carried, []string{"id", "text"}) {
		t.Errorf("got %v, %v, want id and text of notes", fields, err)
	}
}
