package device

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// machine is a person's computer, with a source in its home.
type machine struct {
	*home

	folder string // the source
}

// lane is one enrolled source of a machine.
type lane struct {
	*machine

	source, device, connectionID, profile string
	args                                  []string // of every command
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{home: newHome(t)}
	m.folder = filepath.Join(m.dir, ".claude")
	m.prepare(filepath.Join(m.dir, ".local", "share", "pdpp"))
	t.Cleanup(m.quiet)
	return m
}

// enroll turns a code into a lane whose connector is accepted.
func (m *machine) enroll(url, code string, args ...string) *lane {
	m.t.Helper()
	s := m.does(code+"\n", m.b.collector, append([]string{"enroll", "--base-url", url, "--code-stdin", "--json"}, args...)...)
	var r struct {
		DeviceID            string `json:"device_id"`
		SourceInstanceID    string `json:"source_instance_id"`
		ConnectorInstanceID string `json:"connector_instance_id"`
		Profile             string `json:"profile"`
	}
	p := m.result(s, &r)
	if s.status != 0 || p != nil || r.SourceInstanceID == "" || r.ConnectorInstanceID == "" {
		m.t.Fatalf("enroll exits with %d: %+v %+v\n%s, want s.status = 0, p = nil, SourceInstanceID not \"\" and ConnectorInstanceID not \"\"", s.status, p, r, s.stderr)
	}
	l := &lane{m, r.SourceInstanceID, r.DeviceID, r.ConnectorInstanceID, r.Profile, []string{"--source-instance-id", r.SourceInstanceID}}
	l.accept()
	return l
}

// accept accepts the connector of the lane.
func (l *lane) accept() {
	l.t.Helper()
	if s := l.does("", l.b.collector, append([]string{"connectors", "accept", "--accept"}, l.args...)...); s.status != 0 {
		l.t.Fatalf("connectors accept exits with %d: %s, want 0", s.status, s.stderr)
	}
}

// counts is the part of an outbox's counts that the tests look at.
type counts struct {
	Pending, Retrying, Leased, Sent, Total int64
	StaleLeases                            int64  `json:"stale_leases"`
	DeadLetter                             int64  `json:"dead_letter"`
	GapsOpen                               int64  `json:"gaps_open"`
	BacklogOpen                            int64  `json:"backlog_open"`
	LastAckAt                              string `json:"last_acknowledged_at"`
	LastCheckpointAt                       string `json:"last_checkpoint_at"`
}

// open counts the undelivered rows.
func (c counts) open() int64 { return c.Pending + c.Retrying + c.Leased + c.DeadLetter }

// ran is the part of an execution's result that the tests look at.
type ran struct {
	status         int
	problem        *problem
	text           string
	Outcome        string
	LifecycleState string `json:"lifecycle_state"`
	SkippedScan    bool   `json:"skipped_scan_for_backlog"`
	BudgetReached  bool   `json:"scan_budget_reached"`
	Recovered      int64  `json:"leases_recovered"`
	Delivered      struct{ Acknowledged, Retried int64 }
	Outbox         counts
	PrunedSent     struct {
		Enabled bool
		Pruned  int64
	} `json:"prunedSent"` //nolint:tagliatelle // the protocol's own name
	Delivery  *problem `json:"delivery_problem"`
	Heartbeat *problem `json:"heartbeat_problem"`
	Run       *struct {
		RunID  string `json:"run_id"`
		Status string
	}
}

// runs makes one execution, which may exit with one of the statuses.
func (l *lane) runs(statuses []int, args ...string) ran {
	l.t.Helper()
	s := l.does("", l.b.collector, append(append([]string{"run", "--json"}, l.args...), args...)...)
	r := ran{status: s.status, text: string(s.stdout) + string(s.stderr)}
	r.problem = l.result(s, &r)
	if !slices.Contains(statuses, s.status) {
		l.t.Fatalf("the run exits with %d, want one of %d\n%s", s.status, statuses, r.text)
	}
	return r
}

// The exit statuses of an execution. A rest after a partial delivery is no failure, and
// no delivery at all is one (collector contract, section 7.2).
var (
	done    = []int{0}
	waits   = []int{4}
	blocked = []int{4}
	either  = []int{0, 4} // this test does not check whether the same execution retries after a failure of the way
)

// runCommand runs another command of the lane.
func (l *lane) runCommand(status int, args ...string) said {
	l.t.Helper()
	return l.says(status, l.b.collector, append(args, l.args...)...)
}

// state is the part of `status` that the tests look at.
type state struct {
	SourceInstanceID string `json:"source_instance_id"`
	LifecycleState   string `json:"lifecycle_state"`
	Outbox           struct{ Counts counts }
	Coverage         struct{ Observed *bool }
	DB               struct {
		Path   string
		Exists bool
	}
}

func (l *lane) state() state {
	l.t.Helper()
	var v state
	if p := l.result(l.runCommand(0, "status", "--json"), &v); p != nil {
		l.t.Fatalf("status: %+v, want nil", p)
	}
	return v
}

// file is the lane's outbox.
func (l *lane) file() string {
	return filepath.Join(l.dir, ".local", "state", "pdpp", "collectors", "claude_code-"+l.source+".sqlite")
}

func (l *lane) sql(statement string, values ...any) []string {
	l.t.Helper()
	return query(l.t, l.file(), statement, values...)
}

// timePasses makes waiting rows due and lets leases expire: no test can turn the
// program's clock.
func (l *lane) timePasses() {
	l.t.Helper()
	if _, err := os.Stat(l.file()); err != nil {
		return // killed before there was one
	}
	l.sql("UPDATE outbox SET next_attempt_us = created_us WHERE status = 'ready'")
	l.sql("UPDATE outbox SET lease_until_us = created_us WHERE status = 'leased'")
}

// drains runs until everything is delivered and the source has been scanned.
func (l *lane) drains(most int) ran {
	l.t.Helper()
	for range most {
		l.timePasses()
		if r := l.runs(either); r.status == 0 && !r.SkippedScan && !r.BudgetReached && r.Outbox.open() == 0 {
			return r
		}
	}
	l.t.Fatalf("after %d runs rows are still undelivered: %+v", most, l.state())
	return ran{}
}

// quiet looks for secrets in every file of a home. A token may appear in the profiles,
// and nowhere else.
func (h *home) quiet() {
	h.t.Helper()
	for path, text := range contents(h.t, h.dir) {
		if strings.HasPrefix(path, ".config/pdpp/collectors/") && strings.HasSuffix(path, ".env") {
			continue
		}
		if secret.MatchString(text) {
			h.t.Errorf("%s contains a secret", path)
		}
	}
}

// contents reads every file below folders of a home, by its path in it.
func contents(t *testing.T, dir string, below ...string) map[string]string {
	t.Helper()
	if len(below) == 0 {
		below = []string{"."}
	}
	all := map[string]string{}
	for _, folder := range below {
		err := filepath.WalkDir(filepath.Join(dir, folder), func(path string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			rel, _ := filepath.Rel(dir, path)
			all[rel] = string(text)
			return err
		})
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	return all
}
