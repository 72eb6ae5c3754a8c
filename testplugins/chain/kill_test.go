//go:build unix

package chain

import (
	"maps"
	"net/http"
	"os"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/sample"
)

// slowed answers after a while, and counts.
type slowed struct {
	next  http.Handler
	delay atomic.Int64
	seen  atomic.Int64
}

// ServeHTTP implements http.Handler.
func (s *slowed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.seen.Add(1)
	select {
	case <-r.Context().Done():
	case <-time.After(time.Duration(s.delay.Load())):
	}
	s.next.ServeHTTP(w, r)
}

// rows are the live records of a connection's streams, without their sequence.
func (o *owner) rows(connection string, streams ...string) map[string]any {
	all := map[string]any{}
	for _, stream := range streams {
		for key, e := range o.export(connection, stream) {
			if !e.Deleted {
				all[stream+" "+key] = e.Data
			}
		}
	}
	return all
}

// PB-D8, PB-A7: the host is killed at several moments of a slow run and run again.
// Nothing is lost, nothing is there twice, and no gap stays leased to the dead run.
func TestKilledHost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		provider http.Handler
		streams  []string
		env      map[string]string
		kills    []int64 // after so many requests
	}{
		"notion":  {sample.Notion(options(260)), []string{"pages", "databases"}, map[string]string{"NOTION_API_TOKEN": token}, []int64{2, 4}},
		"github":  {unspread(sample.Github(options(12))), githubStreams, map[string]string{"GITHUB_TOKEN": token}, []int64{3, 9, 15}},
		"reddit":  {sample.Reddit(options(120)), []string{"submitted", "comments", "saved", "hidden"}, sample.RedditVariables(token), []int64{4, 7}},
		"spotify": {sample.Spotify(options(120)), []string{"playlists", "saved_tracks", "recently_played"}, sample.SpotifyVariables(token), []int64{4}},
		"strava":  {sample.Strava(options(900)), []string{"activities"}, sample.StravaVariables(token), []int64{3, 5}},
		"ynab":    {sample.Ynab(options(12)), []string{"accounts", "categories", "transactions", "months", "payees"}, map[string]string{"YNAB_PAT": token}, []int64{3, 8}},
		"recovering": {unspread(sample.Github(options(12))), githubStreams, map[string]string{
			"GITHUB_TOKEN": token, "PDPP_GITHUB_MAX_DETAIL_FETCHES_PER_RUN": "4", "PDPP_GITHUB_MAX_TAIL_DEFERRAL_GAPS_PER_RUN": "3",
		}, []int64{9, 3, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			connector := name
			if name == "recovering" {
				connector = "github"
			}
			alike(t, connector)
			undisturbed := newOwner(t, c.provider, c.env)
			for i := 0; i == 0 || undisturbed.openGaps(connector) > 0; i++ {
				undisturbed.runs(0, connector)
			}
			want := undisturbed.rows(connector, c.streams...)
			if len(want) == 0 {
				t.Fatal("nothing was collected")
			}
			slow := &slowed{next: c.provider}
			o := newOwner(t, slow, c.env)
			killed := 0
			for _, after := range c.kills {
				slow.delay.Store(int64(60 * time.Millisecond))
				slow.seen.Store(0)
				if o.killed(connector, slow, after) {
					killed++
				}
				if name == "recovering" {
					slow.delay.Store(0)
					o.runs(0, connector)
				}
			}
			if killed == 0 {
				t.Fatal("no kill met a run")
			}
			slow.delay.Store(0)
			for i := 0; i == 0 || o.openGaps(connector) > 0; i++ {
				if i > 12 {
					t.Fatalf("%d gaps stay open, want none: %v", o.openGaps(connector), o.sql("SELECT record_key || ' ' || status || ' ' || lease_run_id FROM gaps"))
				}
				o.runs(0, connector)
			}
			got := o.rows(connector, c.streams...)
			if !reflect.DeepEqual(got, want) {
				for key := range want {
					if got[key] == nil {
						t.Errorf("lost: %s, want got[key] not nil", key)
					}
				}
				for key := range maps.Keys(got) {
					if want[key] == nil {
						t.Errorf("not expected: %s", key)
					} else if !reflect.DeepEqual(got[key], want[key]) {
						t.Errorf("%s differs: %v %v, want want[key]", key, got[key], want[key])
					}
				}
			}
			if n := o.sql("SELECT count(*) FROM (SELECT 1 FROM records GROUP BY stream_id, key HAVING count(*) > 1)"); n[0] != "0" {
				t.Errorf("%s keys are there twice, want 0", n[0])
			}
			o.intact()
			if r := o.runs(0, connector); r.counts() != "0 new, 0 changed, 0 deleted, 0 rejected" {
				t.Errorf("something was left: %s, want 0 new, 0 changed, 0 deleted, 0 rejected", r.counts())
			}
		})
	}
}

var githubStreams = []string{"user", "repositories", "starred", "issues", "pull_requests", "gists"}

// Ctrl-C in the middle of a run ends it as cancelled: its records are kept, and the
// next run continues.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"github": 20, "notion": 120, "reddit": 120, "spotify": 120, "strava": 500, "ynab": 20} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			alike(t, name)
			s := served(t, name, size)
			slow := &slowed{next: s.Handler}
			slow.delay.Store(int64(100 * time.Millisecond))
			o := newOwner(t, slow, s.Variables)
			if status := o.signalled(name, slow, 2, os.Interrupt); status != 130 {
				t.Errorf("exits with %d, want 130", status)
			}
			if got := o.sql("SELECT status FROM runs"); len(got) != 1 || got[0] != "cancelled" {
				t.Errorf("%v, want len(got) = 1 and got[0] = cancelled", got)
			}
			o.intact()
			slow.delay.Store(0)
			o.runs(0, name)
			if r := o.runs(0, name); r.counts() != "0 new, 0 changed, 0 deleted, 0 rejected" {
				t.Errorf("something was left: %s, want 0 new, 0 changed, 0 deleted, 0 rejected", r.counts())
			}
			undisturbed := newOwner(t, s.Handler, s.Variables)
			undisturbed.runs(0, name)
			for _, stream := range o.sql("SELECT name FROM streams") {
				if got, want := live(o.export(name, stream)), live(undisturbed.export(name, stream)); got != want {
					t.Errorf("%s: %d records, want %d", stream, got, want)
				}
			}
		})
	}
}

// killed starts a run and kills it when the provider has seen so many requests.
// It reports whether there was still something to kill.
func (o *owner) killed(connector string, p *slowed, after int64) bool {
	o.t.Helper()
	return o.signalled(connector, p, after, os.Kill) == -1
}

// signalled starts a run, sends it a signal, and returns its exit status.
func (o *owner) signalled(connector string, p *slowed, after int64, signal os.Signal) int {
	o.t.Helper()
	cmd := o.command("run", connector, "--no-input", "--accept", "--quiet", "--set", "base_url="+o.url)
	if err := cmd.Start(); err != nil {
		o.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for p.seen.Load() < after {
		select {
		case err := <-ended:
			o.t.Logf("the run ended before request %d: %v", after, err)
			return cmd.ProcessState.ExitCode()
		case <-tick.C:
		}
	}
	if err := cmd.Process.Signal(signal); err != nil {
		o.t.Log(err)
	}
	<-ended
	return cmd.ProcessState.ExitCode()
}
