package chain

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/sample"
)

// paged is a provider whose lists have several pages, with the rows that an unlimited
// owner gets from it.
func paged(t *testing.T, name string) *sample.Service {
	t.Helper()
	o := options(120)
	if name == "github" {
		o.Size, o.Page = 36, 6
		return &sample.Service{Handler: unspread(sample.Github(o)), Variables: map[string]string{"GITHUB_TOKEN": token}}
	}
	if name == "strava" { // two hundred rows on a page
		o.Size = 900
	}
	s, err := sample.New(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// kept counts the records of each stream that are here.
func (o *owner) kept() []string {
	o.t.Helper()
	return o.sql("SELECT s.name || ' ' || count(*) FROM records r JOIN streams s ON s.id = r.stream_id WHERE r.deleted = 0 GROUP BY s.name ORDER BY s.name")
}

// PB-D9, PB-A2, RT-24.1: an owner's cap on requests, below the need of one whole run,
// fails no run. Each run ends with 0 within the cap, and the next continues from its
// saved page until everything is collected.
func TestCappedRunsFinish(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		share int64 // of the requests of a whole run, in percent
		args  []string
	}{
		"github": {30, nil}, "github, one long list": {40, []string{"--stream", "repositories"}},
		"notion": {100, nil}, "reddit": {60, nil}, "spotify": {90, nil}, "spotify, one long list": {90, []string{"--stream", "saved_tracks"}}, "strava": {80, nil}, "ynab": {100, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			connector, _, _ := strings.Cut(name, ",")
			alike(t, connector)
			whole := paged(t, connector)
			free := newOwner(t, whole.Handler, whole.Variables)
			most := free.runs(0, connector, c.args...).Requests.Sent*c.share/100 - 1
			want := free.kept()
			s := paged(t, connector)
			o := newOwner(t, s.Handler, s.Variables)
			stops := 0
			for n := 1; ; n++ {
				r := o.runs(0, connector, append(c.args, "--max-requests", strconv.FormatInt(most, 10))...)
				if r.Requests.Sent > most {
					t.Fatalf("run %d sent %d requests, want %d at most", n, r.Requests.Sent, most)
				}
				if r.Error != nil || r.Status != "succeeded" {
					t.Fatalf("run %d is %s over %+v, want Error = nil and Status = succeeded", n, r.Status, r.Error)
				}
				if slices.ContainsFunc(r.KnownGaps, func(g struct{ Kind, Reason, Message string }) bool { return g.Reason == "request_cap_reached" }) {
					stops++
				}
				if slices.Equal(o.kept(), want) {
					break
				}
				if n == 12 {
					t.Fatalf("after %d runs of %d requests %v are here, want %v", n, most, o.kept(), want)
				}
			}
			if stops == 0 {
				t.Errorf("a cap of %d requests stopped no run, want at least one", most)
			}
			if got := o.sql("SELECT connection_id FROM pressure"); len(got) > 0 {
				t.Errorf("pressure is recorded: %v, want len(got) = 0", got)
			}
		})
	}
}

// nextDay makes the store a day older, and the connection due.
func (o *owner) nextDay() {
	o.t.Helper()
	o.sql("UPDATE due_times SET due_us = 1")
	o.sql("UPDATE runs SET started_us = started_us - 86400000000, finished_us = finished_us - 86400000000")
}

// passes makes one pass of the scheduler a day later, in which the connection has
// to have run once, and well.
func (o *owner) passes() {
	o.t.Helper()
	o.nextDay()
	before := len(o.sql("SELECT run_id FROM runs"))
	said := o.says(0, "serve", "--once")
	text := string(said.stdout) + string(said.stderr)
	if n := len(o.sql("SELECT run_id FROM runs")) - before; n != 1 || strings.Contains(text, "any more") || strings.Contains(text, "backing off") {
		o.t.Fatalf("a pass made %d runs, want 1, put off by nothing:\n%s", n, text)
	}
}

// PB-D9: under `serve`, a cap that no run fits into spends itself once a dispatch,
// and is nothing to back off from: no pass fails, and none is the last.
func TestCappedScheduleGoesOn(t *testing.T) {
	t.Parallel()
	s := paged(t, "spotify")
	o := newOwner(t, s.Handler, s.Variables)
	o.setenv("PDPP_LIMITS_REQUESTS", "3")
	if r := o.runs(0, "spotify"); r.Reason != "request_cap_reached" || r.Requests.Sent != 3 {
		t.Fatalf("the first run sends %d requests and ends by %q, want 3 and its cap", r.Requests.Sent, r.Reason)
	}
	for range 8 {
		o.passes()
	}
	if text := string(o.says(0, "status").stdout); strings.Contains(text, "failed") || strings.Contains(text, "any more") {
		t.Errorf("status says\n%s, want no failed in text and no any more in text", text)
	}
}
