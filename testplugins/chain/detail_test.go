package chain

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/github"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/sample"
)

// details lists the details that were asked for since the last Forget.
func details(p *github.Provider) []string {
	var out []string
	for _, r := range p.Requests() {
		if strings.HasPrefix(r.Path, "/repos/") {
			out = append(out, r.Path)
		}
	}
	return out
}

// RT-16.2, RT-16.4, RT-17.1, RT-19.1, RT-19.3, RT-19.4: with the owner's cap of two
// details a run, and three gap rows a deferral, a history of twelve comes in over
// several runs. Each run stays within the cap, nothing cools down, no detail is
// requested twice, and none is left. The owner reads of a budget, not of a busy
// service.
func TestOwnersCap(t *testing.T) {
	t.Parallel()
	const pulls = 12
	p := unspread(sample.Github(options(pulls)))
	o := newOwner(t, p, map[string]string{
		"GITHUB_TOKEN": token, "PDPP_GITHUB_MAX_DETAIL_FETCHES_PER_RUN": "2", "PDPP_GITHUB_MAX_TAIL_DEFERRAL_GAPS_PER_RUN": "3",
	})
	asked := map[string]bool{}
	runs := 0
	for done := false; !done; runs++ {
		if runs > pulls {
			t.Fatalf("after %d runs %d gaps are open, %d pull requests are collected, want none open", runs, o.openGaps("github"), live(o.export("github", "pull_requests")))
		}
		p.Forget()
		said := o.says(0, "run", "github", "--no-input", "--accept", "--set", "base_url="+o.url)
		text := string(said.stdout) + string(said.stderr)
		if got := details(p); len(got) > 2 {
			t.Errorf("run %d asked for %v, want len(got) at most 2", runs, got)
		}
		for _, path := range details(p) {
			if asked[path] {
				t.Errorf("%s is requested twice, want once", path)
			}
			asked[path] = true
		}
		rows := o.sql("SELECT reason || ' ' || class FROM gaps WHERE status <> 'recovered'")
		if len(rows) > 4 {
			t.Errorf("run %d left %d gap rows: three and a backlog are allowed, want at most 4", runs, len(rows))
		}
		for _, row := range rows {
			if row != "retry_exhausted run_cap_fetches" && row != "retry_exhausted run_cap_backlog" {
				t.Errorf("run %d: a gap is %s, want a cap's class", runs, row)
			}
		}
		last := string(o.says(0, "runs", "show", "last").stdout)
		budget := strings.Contains(text, "your own per-run budget was reached") || strings.Contains(last, "your own per-run budget was reached")
		if len(rows) > 0 && !budget || strings.Contains(text+last, "busy") || strings.Contains(text+last, "fewer requests") {
			t.Errorf("run %d shows the owner a busy service, want its budget:\n%s%s", runs, text, last)
		}
		// A missing detail is accounted for by its gap, or by the backlog's.
		if have := live(o.export("github", "pull_requests")); have != min(pulls, 2*(runs+1)) {
			t.Errorf("after run %d %d pull requests are here, want min(pulls, 2*(runs+1))", runs, have)
		}
		open := o.openGaps("github")
		if n := int64(len(rows)); n > 0 && !strings.Contains(text, fmt.Sprintf("%d gap", n)) {
			t.Errorf("run %d leaves %d gap rows and does not show their number:\n%s", runs, n, text)
		}
		done = open == 0
	}
	if len(asked) != pulls {
		t.Errorf("%d details were asked for, want %d", len(asked), pulls)
	}
	if have := live(o.export("github", "pull_requests")); have != pulls {
		t.Errorf("%d pull requests are here after %d runs, want %d", have, runs, pulls)
	}
	// The forward cursor is at the newest: one change costs one detail.
	p.Forget()
	p.Edit(func(d *github.Data) { d.Pulls[5].Title, d.Pulls[5].UpdatedAt = "changed", time.Now() })
	r := o.runs(0, "github")
	if got := details(p); len(got) != 1 || r.Records["pull_requests"].Changed != 1 || len(r.Gaps) > 0 {
		t.Errorf("%v %+v %v, want len(got) = 1, Records[\"pull_requests\"].Changed = 1 and len(r.Gaps) = 0", got, r.Records["pull_requests"], r.Gaps)
	}
}

// RT-16.1, RT-19.2: without a cap, or with an empty one, everything comes at once.
func TestNoCap(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"", "many", "0", "-3"} {
		t.Run("cap "+value, func(t *testing.T) {
			t.Parallel()
			p := sample.Github(options(12))
			o := newOwner(t, p, map[string]string{"GITHUB_TOKEN": token, "PDPP_GITHUB_MAX_DETAIL_FETCHES_PER_RUN": value})
			r := o.runs(0, "github", "--stream", "pull_requests")
			if len(details(p)) != 12 || r.Records["pull_requests"].New != 12 || len(r.Gaps) > 0 {
				t.Errorf("%v %+v, want len(details(p)) = 12, Records[\"pull_requests\"].New = 12 and len(r.Gaps) = 0", details(p), r)
			}
		})
	}
}
