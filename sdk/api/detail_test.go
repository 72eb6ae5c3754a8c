package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// detailed is a table of one list whose records are fetched one by one.
var detailed = api.Table{Streams: []api.Stream{api.List{
	Name: "notes", Pager: api.Offset("/v1/notes?limit=2", "items", "offset", 2),
	Row: func(r *sdk.Record, v jsonvalue.Value) {
		r.Copy("id", v.Get("id"))
		r.Copy("text", v.Get("text"))
	},
	Detail: func(row jsonvalue.Value) sdk.Detail {
		return sdk.Detail{Key: []string{row.Get("id").Str()}, UpdatedAt: row.Get("at").Str()}
	},
	Path: func(key []string) string { return "/v1/notes/" + key[0] },
}.Stream()}}

// book is a provider of notes: the time of each, by id.
type book struct {
	at     map[string]string
	broken map[string]string // the answer to a detail
	asked  []string          // for details
}

func (b *book) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, detail := strings.CutPrefix(r.URL.Path, "/v1/notes/")
	if detail {
		b.asked = append(b.asked, id)
		body, broken := b.broken[id]
		if status, err := strconv.Atoi(body); err == nil {
			w.WriteHeader(status)
			return
		}
		if !broken {
			body = fmt.Sprintf(`{"id":%q,"text":%q}`, id, "of "+b.at[id])
		}
		_, _ = fmt.Fprint(w, body)
		return
	}
	var rows []string
	for id, at := range b.at {
		rows = append(rows, fmt.Sprintf(`{"id":%q,"at":%q}`, id, at))
	}
	slices.Sort(rows)
	offset, _ := strconv.Atoi(r.URL.Query().Get("offset"))
	rows = rows[min(offset, len(rows)):]
	_, _ = fmt.Fprintf(w, `{"items":[%s]}`, strings.Join(rows[:min(2, len(rows))], ","))
}

// did says which details a run asked for, and what it changed.
func (b *book) did(res *sdktest.Result) string {
	var changes []string
	for _, r := range res.Changes() {
		sign := "+"
		if r.Delete {
			sign = "-"
		}
		changes = append(changes, sign+r.Key)
	}
	slices.Sort(b.asked)
	defer func() { b.asked = nil }()
	return strings.Join(b.asked, "") + " " + strings.Join(changes, "")
}

func details(h *sdk.Host) error { return api.Collect(h, provider, detailed) }

func TestListOfDetails(t *testing.T) {
	t.Parallel()
	b := &book{at: map[string]string{"a": "1", "b": "1", "c": "", "d": "1"}}
	res := collect(t, b, nil, details)
	for _, c := range []struct {
		what   string
		change func()
		want   string // the details that are asked for, and the changes
	}{
		{"the first run", func() {}, "abcd +a+b+d+c"},
		{"nothing changes", func() {}, "c "},
		{"one changes", func() { b.at["b"] = "0" }, "bc +b"},
		{"one is gone, one is new", func() { delete(b.at, "a"); b.at["e"] = "0" }, "ce +e-a"},
		{"it is back", func() { b.at["a"] = "1" }, "ac +a"},
	} {
		if c.change(); c.what != "the first run" {
			res = res.SecondRun(t, nil)
		}
		if got := b.did(res); got != c.want {
			t.Errorf("%s: the run did %q, want %q", c.what, got, c.want)
		}
	}
	if full := res.SecondRun(t, func(o *sdktest.Options) { o.State = nil }); b.did(full) != "abcde " {
		t.Errorf("without a cursor a run asks for something else than every detail, want all of them")
	}
}

// A detail that cannot be had is a gap, for whatever reason. The others are collected, and
// nothing is deleted.
func TestDetailThatCannotBeHad(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{"a status": "403", "no JSON": "<html>", "another record": `{"id":"x","text":"x"}`, "no key": `{}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &book{at: map[string]string{"a": "1", "b": "1", "c": "1"}}
			first := collect(t, b, nil, details)
			b.at["b"], b.broken = "2", map[string]string{"b": answer}
			b.asked = nil
			res := first.SecondRun(t, nil)
			if got := b.did(res); got != "b " || len(res.Gaps) != 1 || res.Done.Error != nil {
				t.Fatalf("the run did %q with %d gaps and %+v, want b, no change, one gap and no error", got, len(res.Gaps), res.Done.Error)
			}
			b.broken = nil
			recovery := res.SecondRun(t, func(o *sdktest.Options) { o.RecoveryOnly, o.DetailGaps = true, res.PendingGaps() })
			if got := b.did(recovery); got != "b +b" {
				t.Errorf("a run that only recovers did %q, want b +b", got)
			}
		})
	}
}

// AC-09, AC-10: a detail that is gone while its list shows it is a gap. After its second refusal the
// list does not meet it, so that the host weighs it with the whole list; nothing else deletes it. It
// is asked for again, because it may come back.
func TestDetailThatIsGone(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"404", "410"} {
		b := &book{at: map[string]string{"a": "1", "b": "1", "c": "1"}}
		res := collect(t, b, nil, details)
		b.at["b"], b.broken, b.asked = "2", map[string]string{"b": status}, nil
		for _, c := range []struct {
			run, did     string
			gaps, stored int
		}{
			{"the first refusal", "b ", 1, 3},
			{"the second", "b ", 1, 3},
			{"weighed", "b -b", 1, 2},
			{"weighed again", "b ", 1, 2},
		} {
			res = res.SecondRun(t, nil)
			if got := b.did(res); got != c.did || len(res.Gaps) != c.gaps || res.Done.Error != nil {
				t.Errorf("%s, %s: the run did %q with %d gaps and %+v, want %q with %d and no error", status, c.run, got, len(res.Gaps), res.Done.Error, c.did, c.gaps)
			}
			if n := len(res.Stored()["notes"]); n != c.stored || len(res.Deletes("notes")) != 0 {
				t.Errorf("%s, %s: %d are stored with %d tombstones of the connector's, want %d and none", status, c.run, n, len(res.Deletes("notes")), c.stored)
			}
		}
		b.broken = nil
		res = res.SecondRun(t, nil)
		if got := b.did(res); got != "b +b" || len(res.PendingGaps()) != 0 {
			t.Errorf("%s, and there again: the run did %q with %d pending gaps, want b +b and none", status, got, len(res.PendingGaps()))
		}
		if res = res.SecondRun(t, nil); b.did(res) != " " {
			t.Errorf("%s: a run behind it asks again or changes something, want neither", status)
		}
	}
}

// AC-09: a provider that has none of the records that it lists is not believed: nothing is deleted,
// and all of them are gaps until it has them again (Invariant 12).
func TestMostDetailsAreGone(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 5, 60} {
		b := &book{at: make(map[string]string), broken: make(map[string]string)}
		for i := range n {
			b.at[fmt.Sprintf("n%02d", i)] = "1"
		}
		res := collect(t, b, nil, details)
		for id := range b.at {
			b.at[id], b.broken[id] = "2", "404"
		}
		for run := range 2 {
			res = res.SecondRun(t, nil)
			if there, gaps := len(res.Stored()["notes"]), len(res.PendingGaps()); there != n || gaps != n {
				t.Errorf("of %d details, %d are stored and %d are gaps after refusal %d, want all of them", n, there, gaps, run+1)
			}
		}
		clear(b.broken)
		res = res.SecondRun(t, nil)
		if there, gaps := len(res.Stored()["notes"]), len(res.PendingGaps()); there != n || gaps != 0 {
			t.Errorf("when the provider has them again, %d details are stored and %d gaps are left, want %d and none", there, gaps, n)
		}
	}
}

// A stream that is collected together with another is left out when only the other is in scope.
func TestLaneOutOfScope(t *testing.T) {
	t.Parallel()
	one := detailed.Streams[0]
	one.Also = []string{"tags"}
	b := &book{at: map[string]string{"a": "1"}}
	res := collect(t, b, func(o *sdktest.Options) { o.Streams = []string{"tags"} }, func(h *sdk.Host) error {
		return api.Collect(h, provider, api.Table{Streams: []api.Stream{one}})
	})
	if got := b.did(res); got != " " || res.Done.Status != abi.DoneSucceeded {
		t.Errorf("the run did %q and ended %s, want nothing and succeeded", got, res.Done.Status)
	}
}

// A run that is stopped among its details has not fetched them in vain: the next one goes on
// behind them (PB-D8).
func TestDetailsGoOn(t *testing.T) {
	t.Parallel()
	const n = 60
	b := &book{at: make(map[string]string)}
	for i := range n {
		b.at[fmt.Sprintf("n%02d", i)] = fmt.Sprintf("2026-01-01T00:00:%02dZ", i)
	}
	now := sdktest.Epoch
	clock := func() time.Time { now = now.Add(time.Second); return now }
	first := collect(t, b, func(o *sdktest.Options) { o.Now, o.StopAfter = clock, 120 }, details)
	asked := len(b.asked)
	if asked == 0 || asked == n || first.Done.Status != abi.DoneCancelled {
		t.Fatalf("got %d details and %s, want a run that was stopped among its details", asked, first.Done.Status)
	}
	b.asked = nil
	second := first.SecondRun(t, nil)
	if len(second.Stored()["notes"]) != n || asked+len(b.asked) > n+10 {
		t.Errorf("the runs stored %d notes with %d and %d requests, want %d with hardly more than one for each", len(second.Stored()["notes"]), asked, len(b.asked), n)
	}
}
