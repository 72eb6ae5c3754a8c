package chain

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/github"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/sample"
)

// served is a provider with data behind faults.
func served(t *testing.T, name string, size int) *sample.Service {
	t.Helper()
	s, err := sample.New(name, options(size))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// unspread removes GitHub's headers about its search quota, which would slow successive
// runs down by seconds.
func unspread(p *github.Provider) *github.Provider {
	p.Faults.Add(fault.Rule{Match: fault.Path("/search/"), Times: -1, Fault: fault.Header("X-RateLimit-Remaining", "")})
	return p
}

// always spoils every answer.
func always(f fault.Fault) fault.Rule { return fault.Rule{Times: -1, Fault: f} }

// A provider that asks for two hours gets them: the run fails with the code of
// that, the next ones are refused with the moment until when, unless the owner
// insists, and a run that got its answers ends it.
func TestCooldown(t *testing.T) {
	t.Parallel()
	for name, atMost := range map[string]time.Duration{ // a connector that runs seldom waits for its next time
		"notion": 2 * time.Hour, "reddit": 6 * time.Hour, "spotify": 2 * time.Hour, "strava": 6 * time.Hour, "github": 6 * time.Hour, "ynab": 6 * time.Hour,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			alike(t, name)
			s := served(t, name, 3)
			o := newOwner(t, s.Handler, s.Variables)
			s.Faults.Add(always(fault.Throttle("7200")))
			began := time.Now()
			r := o.runs(4, name)
			if r.Error == nil || r.Error.Code != name+"_rate_limited" || !r.Error.Retryable {
				t.Errorf("%+v, want Error not nil, Error.Code = %v and Error.Retryable", r.Error, name+"_rate_limited")
			}
			asked := s.Faults.Fired()
			var refused struct {
				Error struct {
					Code    string `json:"code"`
					Message string `json:"message"`
					Hint    string `json:"hint"`
				} `json:"error"`
			}
			said := o.says(3, "run", name, "--no-input", "--accept", "--json", "--set", "base_url="+o.url)
			if err := json.Unmarshal(said.stdout, &refused); err != nil {
				t.Fatal(err)
			}
			until := until(t, refused.Error.Message)
			if wait := until.Sub(began); refused.Error.Code != "run.cooling_down" || wait < 119*time.Minute || wait > atMost+2*time.Minute ||
				!strings.Contains(refused.Error.Message, until.Local().Format("15:04:05")) || !strings.Contains(refused.Error.Hint, "--force") {
				t.Errorf("%+v, want run.cooling_down for two hours, with its end and --force", refused.Error)
			}
			if s.Faults.Fired() != asked {
				t.Error("the refused run asked the provider")
			}
			o.runs(4, name, "--force")
			if s.Faults.Fired() == asked {
				t.Error("the forced run asked nothing")
			}
			o.says(3, "run", name, "--no-input", "--accept", "--set", "base_url="+o.url)
			s.Faults.Clear()
			o.runs(0, name, "--force")
			o.runs(0, name)
		})
	}
}

// until finds the moment in "… until 2026-01-02T03:04:05Z, …".
func until(t *testing.T, detail string) time.Time {
	t.Helper()
	text, _, _ := strings.Cut(detail[strings.LastIndex(detail, "until ")+len("until "):], ",")
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Errorf("no moment in %q", detail)
	}
	return at
}

// RT-24.1, PB-A2, PB-A3, PB-A7: the owner's bounds, on requests and on time, end a run
// as planned. Nothing cools down, the records so far are kept, the cursors cover only
// durable records, and runs continue from there to the end. No detail is requested
// twice.
func TestPlannedStop(t *testing.T) {
	t.Parallel()
	for bound, args := range map[string][]string{"requests": {"--max-requests", "9"}, "time": {"--timeout", "20s"}} {
		t.Run(bound, func(t *testing.T) {
			t.Parallel()
			size := map[string]int{"requests": 14, "time": 60}[bound]
			p := unspread(sample.Github(options(size)))
			if bound == "time" {
				p.Before(func(_ int, r *http.Request) {
					if strings.HasPrefix(r.URL.Path, "/repos/") {
						time.Sleep(2 * time.Second) //nolint:forbidigo // a slow provider
					}
				})
			}
			o := newOwner(t, p, map[string]string{"GITHUB_TOKEN": token})
			first := o.runs(0, "github", args...)
			planned := slices.ContainsFunc(first.KnownGaps, func(g struct{ Kind, Reason, Message string }) bool { return g.Kind == "send_budget" })
			if !planned {
				t.Errorf("the result does not mention the stop: %+v", first)
			}
			for _, g := range first.Gaps {
				if g.Reason == "rate_limited" || g.Reason == "upstream_pressure" {
					t.Errorf("%+v, want g.Reason not rate_limited and g.Reason not upstream_pressure", g)
				}
			}
			if got := o.sql("SELECT connection_id FROM pressure"); len(got) > 0 {
				t.Errorf("pressure is recorded: %v, want len(got) = 0", got)
			}
			kept := live(o.export("github", "repositories"))
			if bound == "requests" && first.Requests.Sent > 9 || kept == 0 {
				t.Errorf("%d requests, %d repositories kept, want at most 9 requests and some repositories", first.Requests.Sent, kept)
			}
			for range 6 {
				p.Before(func(int, *http.Request) {})
				o.runs(0, "github") // refused, if it cooled down
				if o.openGaps("github") == 0 {
					break
				}
			}
			for _, stream := range []string{"repositories", "starred", "issues", "pull_requests", "gists"} {
				if got := live(o.export("github", stream)); got != size {
					t.Errorf("%s: %d records, want %d", stream, got, size)
				}
			}
			asked := map[string]int{}
			for _, r := range p.Requests() {
				if strings.HasPrefix(r.Path, "/repos/") && r.Status == http.StatusOK {
					asked[r.Path]++
				}
			}
			for path, n := range asked {
				if n > 1 {
					t.Errorf("%s was requested %d times, want once", path, n)
				}
			}
		})
	}
}
