//go:build unix

package chain

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/github"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/sample"
)

// withheld answers so many details, and lets the others wait for ever.
type withheld struct {
	next http.Handler
	left atomic.Int64
}

// ServeHTTP implements http.Handler.
func (h *withheld) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/repos/") && h.left.Add(-1) < 0 {
		<-r.Context().Done()
		return
	}
	h.next.ServeHTTP(w, r)
}

// PB-D8, PB-A7: the host is killed while it waits for a provider that became slow. The
// details that came are durable, the ledger of destinations says where bytes went, and
// the next run requests none of these details again.
func TestAKillInALaneCostsSeconds(t *testing.T) {
	t.Parallel()
	const pulls, came = 30, 12
	p := unspread(sample.Github(options(pulls)))
	var listed []github.Pull // newest first
	p.Edit(func(d *github.Data) { listed = slices.Clone(d.Pulls) })
	slices.SortFunc(listed, func(a, b github.Pull) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	next := listed[came].UpdatedAt.Truncate(time.Second)
	h := &withheld{next: p}
	h.left.Store(came)
	o := newOwner(t, h, map[string]string{"GITHUB_TOKEN": token})

	cmd := o.command("run", "github", "--no-input", "--accept", "--quiet", "--stream", "pull_requests", "--set", "base_url="+o.url)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	deadline, tick := time.NewTimer(2*time.Minute), time.NewTicker(20*time.Millisecond)
	defer deadline.Stop()
	defer tick.Stop()
	for reached := false; !reached; reached = o.accountedTo(next) {
		select {
		case err := <-ended:
			t.Fatalf("the run ended before the kill: %v", err)
		case <-deadline.C:
			_ = cmd.Process.Signal(os.Kill)
			<-ended
			t.Fatalf("%d of %d details are durable, and the cursor is %v", live(o.export("github", "pull_requests")), came,
				o.sql("SELECT cursor FROM states WHERE stream = 'pull_requests'"))
		case <-tick.C:
		}
	}
	if err := cmd.Process.Signal(os.Kill); err != nil {
		t.Fatal(err)
	}
	<-ended

	if got := live(o.export("github", "pull_requests")); got != came {
		t.Errorf("%d details are durable after the kill, want %d", got, came)
	}
	if got := o.sql("SELECT host FROM destinations WHERE requests >= ? AND bytes_in > 0", came); len(got) != 1 || !strings.HasSuffix(o.url, got[0]) {
		t.Errorf("after the kill bytes went to %q, want %s", got, o.url)
	}
	asked := details(p)
	p.Forget()
	h.left.Store(pulls)
	o.runs(0, "github", "--stream", "pull_requests")
	for _, path := range details(p) {
		if slices.Contains(asked, path) {
			t.Errorf("%s is requested again, want it durable", path)
		}
	}
	if got := len(details(p)); got != pulls-came {
		t.Errorf("the next run asks for %d details, want %d", got, pulls-came)
	}
	if got := live(o.export("github", "pull_requests")); got != pulls {
		t.Errorf("%d pull requests are here at the end, want %d", got, pulls)
	}
	o.intact()
}

// accountedTo reports whether the committed cursor leaves the changes at that time or
// before to the next run, and no newer ones.
func (o *owner) accountedTo(at time.Time) bool {
	o.t.Helper()
	if _, err := os.Stat(o.data + "/pdpp.sqlite"); err != nil || len(o.sql("SELECT 1 FROM sqlite_master WHERE name = 'states'")) == 0 {
		return false
	}
	cursors := o.sql("SELECT cursor FROM states WHERE stream = 'pull_requests'")
	if len(cursors) == 0 {
		return false
	}
	var c struct {
		Pending []struct {
			To time.Time `json:"to"`
		} `json:"pending"`
	}
	if err := json.Unmarshal([]byte(cursors[0]), &c); err != nil {
		o.t.Fatal(err)
	}
	return len(c.Pending) > 0 && c.Pending[0].To.Equal(at)
}
