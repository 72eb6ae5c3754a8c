package hostile

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

func TestMain(m *testing.M) { rig.Main(m) }

// attack is one hostile guest and its required outcome.
type attack struct {
	name    string
	script  string              // for the scripted guest, after the prelude
	module  func() *plugin.File // instead of a script
	request func(*run.Request)
	limits  func(*plugin.Limits)
	roots   func(t *testing.T) map[string]string
	asker   run.Asker
	rests   time.Duration // for which its limit rests, since its owner is asked
	only    string        // the one isolation mode that can contain it
	pending string        // why the host does not withstand it yet
	want    want
}

// want is how an attack must end.
type want struct {
	refused abi.Code   // before a run began: no run, no connection, no record
	reason  abi.Reason // of a run that failed; "" for one that succeeds, since the attack achieved nothing
	code    abi.Code
	says    []string // texts that the error must contain
	silent  []string // texts that the error must not repeat
}

// Every scripted attack begins with three honest records and a cursor: the
// records are stored whatever follows, and the cursor must not move unless the
// run succeeds.
const (
	honest  = 3
	prelude = "records journal 0 3\n" + `state {"type":"STATE","stream":"journal","cursor":{"at":3}}` + "\n"
)

// done ends a script: succeeded, after the honest records and n others.
func done(n int) string {
	return fmt.Sprintf("\ndone {\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":%d}", honest+n)
}

func record(stream, key, data string) string {
	return fmt.Sprintf("\nemit {\"type\":\"RECORD\",\"stream\":%q,\"key\":%s,\"data\":%s,\"emitted_at\":\"2026-01-01T00:00:00Z\"}", stream, key, data)
}

func violates(code abi.Code, says ...string) want {
	return want{reason: abi.ReasonProtocolViolation, code: code, says: says}
}

// allowance is the time for starting a worker and closing a run on a machine that is
// busy with every other test.
const allowance = 10 * time.Second

// patience ends an attack that wrongly goes on.
const patience = time.Minute

// carryOut runs each attack in each isolation mode.
func carryOut(t *testing.T, attacks []attack) {
	t.Helper()
	for _, a := range attacks {
		for _, mode := range rig.Modes {
			if a.only != "" && a.only != mode {
				continue
			}
			t.Run(a.name+"/"+mode, func(t *testing.T) {
				t.Parallel()
				a.carryOut(t, mode)
			})
		}
	}
}

func (a attack) carryOut(t *testing.T, mode string) {
	t.Helper()
	if a.pending != "" {
		t.Skip(a.pending)
	}
	setup := rig.Setup{Isolation: mode, Asker: a.asker, Limits: func(l *plugin.Limits) {
		l.Grace = 200 * time.Millisecond
		if a.limits != nil {
			a.limits(l)
		}
	}}
	if a.roots != nil {
		setup.Roots = a.roots(t)
	}
	h := rig.NewHost(t, setup)
	req, connection := run.Request{}, "handmade"
	if a.module != nil {
		req.Module = a.module()
	} else {
		connection, req.Module = "scripted", rig.Guest(t, "testplugins/guests/scripted@enumerate")
		req.Options = map[string]string{"script": prelude + strings.TrimSpace(a.script)}
	}
	if a.request != nil {
		a.request(&req)
	}
	if req.Timeout == 0 {
		req.Timeout = patience
	}
	began := time.Now()
	res, err := h.Play(req)
	if limit := req.Timeout; limit > 0 && time.Since(began) > limit+a.rests+plugin.MaxGrace+allowance {
		t.Errorf("it took %v, want the deadline, the rest, the grace and the allowance at most", time.Since(began))
	}
	if a.want.refused != "" {
		a.judgeRefusal(t, h, connection, res, err)
		return
	}
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
	a.judge(t, h, connection, res)
}

func (a attack) judgeRefusal(t *testing.T, h *rig.Host, connection string, res *run.Result, err error) {
	t.Helper()
	if err == nil {
		t.Fatalf("the module ran, want it refused: %s %s %+v", res.Status, res.Reason, res.Error)
	}
	if abi.CodeOf(err) != a.want.refused {
		t.Fatalf("refused with %v, want %s", err, a.want.refused)
	}
	a.judgeText(t, err.Error())
	if runs, err := h.Store.Runs(t.Context(), connection, 10); err == nil && len(runs) > 0 {
		t.Errorf("a run was recorded: %+v", runs)
	}
	if keys := h.Keys(connection, "notes"); len(keys) > 0 {
		t.Errorf("records were stored: %v, want len(keys) = 0", keys)
	}
}

func (a attack) judge(t *testing.T, h *rig.Host, connection string, res *run.Result) {
	t.Helper()
	status, cursor := run.StatusSucceeded, `{"at":3}`
	if a.want.reason != "" {
		status, cursor = run.StatusFailed, ""
	}
	if res.Status != status || res.Reason != string(a.want.reason) {
		t.Fatalf("the run %s: %s %+v, want %s %s %s", res.Status, res.Reason, res.Error, status, a.want.reason, a.want.code)
	}
	if a.want.reason != "" {
		if res.Error == nil || res.Error.Code != string(a.want.code) {
			t.Fatalf("%+v, want %s", res.Error, a.want.code)
		}
		if res.Error.Hint == "" {
			t.Errorf("%s: the error has no hint", res.Error.Code)
		}
		a.judgeText(t, res.Error.Message)
	}
	if a.module == nil {
		if got := h.Keys(connection, "journal"); !slices.Equal(got, []string{"journal-0", "journal-1", "journal-2"}) {
			t.Errorf("what was honest is not stored: %v, want %q", got, []string{"journal-0", "journal-1", "journal-2"})
		}
		// Invariant 1: the staged cursors of a failed run are never committed.
		if got := h.Cursors(connection)["journal"]; got != cursor {
			t.Errorf("cursor %q, want %q", got, cursor)
		}
	} else if got := h.Cursors(connection); len(got) > 0 {
		t.Errorf("cursors %v, want len(got) = 0", got)
	}
	if row, err := h.Store.Run(t.Context(), res.RunID); err != nil || row.Status != status || row.FinishedAt.IsZero() {
		t.Errorf("the run's row: %+v %v, want row.Status = %v and not row.FinishedAt.IsZero()", row, err, status)
	}
	if report, err := h.Store.Check(t.Context()); err != nil || len(report.Problems) > 0 {
		t.Errorf("the store: %+v %v, want len(report.Problems) = 0", report, err)
	}
}

// judgeText checks an error's text: its required words, its forbidden ones, and that it
// cannot steer a terminal.
func (a attack) judgeText(t *testing.T, text string) {
	t.Helper()
	for _, s := range a.want.says {
		if !strings.Contains(text, s) {
			t.Errorf("%q does not name %q", text, s)
		}
	}
	for _, s := range a.want.silent {
		if strings.Contains(text, s) {
			t.Errorf("%q repeats %q", text, s)
		}
	}
	if len(text) > 6<<10 || strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }) {
		t.Errorf("an error of %d bytes that no terminal should show: %.200q", len(text), text)
	}
}
