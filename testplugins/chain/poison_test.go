package chain

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/github"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/sample"
)

// A detail that always answers 500, and five of them, which open the circuit, stop
// nothing. New records come in with every pass of the scheduler, before the failed ones
// are requested, which happens more and more rarely; their class and number are
// reported. When they answer again they are collected, and nothing is left.
func TestPoisonedDetails(t *testing.T) {
	t.Parallel()
	for name, poisoned := range map[string]int{"one": 1, "many": 8} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const pulls = 12
			p := unspread(sample.Github(options(pulls)))
			bad := func(path string) bool {
				n, err := strconv.Atoi(strings.TrimPrefix(path, "/repos/me/repo-7/pulls/"))
				return err == nil && n > 1000+pulls-poisoned && n <= 1000+pulls // the oldest
			}
			p.Faults.Add(fault.Rule{Times: -1, Match: func(r *http.Request) bool { return bad(r.URL.Path) }, Fault: fault.Status(http.StatusInternalServerError, "{}")})
			o := newOwner(t, p, map[string]string{"GITHUB_TOKEN": token})
			o.runs(0, "github")
			asked := 0
			for pass := range 9 {
				p.Forget()
				p.Edit(func(d *github.Data) { d.Pulls = append(d.Pulls, sample.Pull(100+pass, "new", time.Now())) })
				o.passes()
				last := false
				for _, r := range p.Requests() {
					switch {
					case bad(r.Path):
						asked++
						last = true
					case last:
						t.Fatalf("pass %d requests %s after the failing details, want it before them", pass, r.Path)
					}
				}
				if have := live(o.export("github", "pull_requests")); have != pulls-poisoned+pass+1 {
					t.Fatalf("pass %d: %d pull requests are here, want %d", pass, have, pulls-poisoned+pass+1)
				}
			}
			if most := 3 * 4 * poisoned; asked > most || asked == 0 {
				t.Errorf("nine passes asked %d times for what always fails, want 1 to %d", asked, most)
			}
			text := string(o.says(0, "runs", "show", "last").stdout)
			if open := o.openGaps("github"); open != poisoned || !strings.Contains(text, "it fails whenever it is asked for") {
				t.Errorf("%d gaps are open, want %d; the last run says\n%s", open, poisoned, text)
			}
			if text := string(o.says(0, "status").stdout); strings.Contains(text, "any more") {
				t.Errorf("status says\n%s, want no any more in it", text)
			}
			p.Faults.Clear()
			if r := o.runs(0, "github", "--force"); o.openGaps("github") > 0 || len(r.Gaps) > 0 {
				t.Errorf("%d gaps are open at the end, %+v, want o.openGaps(\"github\") = 0 and len(r.Gaps) = 0", o.openGaps("github"), r.Gaps)
			}
			if have := live(o.export("github", "pull_requests")); have != pulls+9 {
				t.Errorf("%d pull requests are here, want %d", have, pulls+9)
			}
		})
	}
}
