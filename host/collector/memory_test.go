package collector

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/collector/client"
	"github.com/pdpp-host/pdpp-host/host/collector/profile"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

func (w *world) failed() *Failed {
	w.Helper()
	s, err := w.collector().Status(w.Context())
	w.ok(err)
	return s.Failed
}

// LC-03.1, LC-07.1: an execution that could not begin or deliver leaves nothing in
// the outbox, and is told until one succeeds.
func TestStatusTellsWhatTheOutboxCannot(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	if w.run(done(0)); w.failed() != nil {
		t.Errorf("%+v", w.failed())
	}
	for _, c := range []struct {
		name              string
		fault             func()
		req               RunRequest
		code              abi.Code
		delivers, lasting bool
	}{
		{"revoked", func() { w.host.revoked = true }, w.script(done(0)), client.CodeUnauthorized, true, true},
		{"down", func() { w.host.fail(on("/state", answer{status: 502})) }, w.script(done(0)), CodeStateRead, true, false},
		{"no module", func() {}, RunRequest{Refused: missing}, abi.CodePluginUnknown, false, true},
	} {
		c.fault()
		for range 2 {
			_, err := w.collector().Run(t.Context(), c.req)
			w.same(abi.CodeOf(err), c.code, c.name)
		}
		f := w.failed()
		if f == nil || f.Code != string(c.code) || f.Delivering != c.delivers || f.Lasting != c.lasting || f.Message == "" || f.Hint == "" {
			t.Errorf("%s: %+v", c.name, f)
		}
		w.host.mu.Lock()
		w.host.revoked = false
		w.host.mu.Unlock()
		w.host.fail(nil)

		// A usage error is not an execution, and clears nothing.
		wrong := w.script(done(0))
		wrong.Streams = []string{"nothing"}
		_, err := w.collector().Run(t.Context(), wrong)
		w.same(abi.CodeOf(err), abi.CodeStreamUnknown, "typed wrong")
		if w.failed() == nil {
			t.Errorf("%s: cleared by what was typed wrong", c.name)
		}
		if w.run(done(0)); w.failed() != nil {
			t.Errorf("%s: still told: %+v", c.name, w.failed())
		}
		if _, err := os.Stat(w.collector().memoryPath()); err == nil {
			t.Errorf("%s: the file is left", c.name)
		}
	}

	// Uploads that nobody takes are told; those that the host puts off are not.
	w.host.fail(on("/ingest-batches", answer{status: 500, body: `{"error":{"code":"internal_error"}}`}))
	w.run(records("notes", 0, 1) + done(1))
	if f := w.failed(); f == nil || f.Code != string(client.CodeUnreachable) || f.Lasting {
		t.Errorf("%+v", f)
	}
}

// The memory belongs to the lane alone, and an unreadable one is empty.
func TestMemoryIsOfOneLane(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.collector()
	c.NotBegun(missing)
	if f := w.failed(); f == nil || f.Code != string(abi.CodePluginUnknown) {
		t.Errorf("%+v", f)
	}
	c.Forget()
	if f := w.failed(); f != nil {
		t.Errorf("of another credential: %+v", f)
	}
	c.NotBegun(missing)
	other := *w.deps.Profile
	other.SourceInstanceID = "src_2"
	w.deps.Profile = &other
	if f := w.failed(); f != nil {
		t.Errorf("of another lane: %+v", f)
	}
	for _, text := range []string{"", "{", "[]", strings.Repeat(" ", maxMemory+1), `{"source_instance_id":"src_2","failed":3}`} {
		w.ok(os.WriteFile(c.memoryPath(), []byte(text), 0o600))
		if f := w.failed(); f != nil {
			t.Errorf("%.20q: %+v", text, f)
		}
	}
	w.ok(os.Remove(c.memoryPath()))
	w.ok(os.Mkdir(c.memoryPath(), 0o700))
	c.NotBegun(missing)
	left, err := filepath.Glob(filepath.Join(filepath.Dir(w.path), ".*.*"))
	w.ok(err)
	w.same(len(left), 0, "files that are left over")
}

// A collector that is led to the outbox of another source leaves alone what is
// remembered there: it is the other's, and the other's status shows it.
func TestMemoryOfAnotherLaneIsLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	w.run(done(0))
	w.collector().NotBegun(missing)
	mine := w.deps.Profile
	other := *mine
	other.SourceInstanceID = "src_2"
	w.deps.Profile = &other
	_, err := w.collector().Run(t.Context(), w.script(done(0)))
	w.same(abi.CodeOf(err), storage.CodeLaneMismatch, "code")
	w.collector().NotBegun(missing)
	w.collector().Forget()
	w.deps.Profile = mine
	if f := w.failed(); f == nil || f.Code != string(abi.CodePluginUnknown) {
		t.Errorf("%+v", f)
	}
	// The memory that a removed source left beside an outbox gives way to that of the new
	// one.
	w.ok(os.WriteFile(w.collector().memoryPath(), []byte(`{"source_instance_id":"src_0","failed":{"error_code":"delivery.gone"}}`), 0o600))
	w.host.revoked = true
	_, err = w.collector().Run(t.Context(), w.script(done(0)))
	w.same(abi.CodeOf(err), client.CodeUnauthorized, "code")
	if f := w.failed(); f == nil || f.Code != string(client.CodeUnauthorized) {
		t.Errorf("%+v", f)
	}
}

// LC-05.1: the device says of an open part what its run said, with the names, and
// whether it is tried again, as everything else says it.
func TestOpenWorkIsNamedHere(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	skip := func(more string) string { return `skip {"type":"SKIP_RESULT",` + more + "}\n" }
	w.run(skip(`"reason":"file_unreadable","message":"1 folder","recovery_hint":"manual_action_required","diagnostics":{"examples":["projects","b","c","d"]}`) +
		skip(`"stream":"notes","reason":"malformed_lines","recovery_hint":"not_retriable"`) +
		skip(`"stream":"journal","reason":"active_rollout_deferred","recovery_hint":"retry_by_runtime"`) + done(0))
	s, err := w.collector().Status(t.Context())
	w.ok(err)
	w.same(s.GapsLeft(), "3 gaps: 1 needs somebody, 1 stays missing, 1 is tried again by itself", "gaps")
	told := map[string]string{}
	for i := range s.Open.Parts {
		told[s.Open.Parts[i].Why()] = s.Open.Parts[i].Again()
	}
	w.same(told["the source: file_unreadable, 1 folder: projects, b, c and 1 more"], "it needs somebody", "unreadable")
	w.same(told["notes: malformed_lines"], "it stays missing", "malformed")
	w.same(told["journal: active_rollout_deferred"], "tried again by itself", "deferred")
	// A run that fails has fewer words, and forgets none.
	if _, err := w.collector().Run(t.Context(), w.script("trap")); err != nil {
		t.Error(err)
	}
	s, err = w.collector().Status(t.Context())
	w.ok(err)
	if !strings.Contains(s.GapsLeft().String(), "1 stays missing") {
		t.Error(s.GapsLeft())
	}
}

func FuzzMemory(f *testing.F) {
	f.Add([]byte(`{"source_instance_id":"src_1","failed":{"error_code":"delivery.gone"},"left":[{"stream":"a","reason":"b","diagnostics":{"files":["x"]}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, ok := memoryOf(text)
		if !ok && (m.Failed != nil || len(m.Left) > 0) || len(m.Left) > maxLeft {
			t.Errorf("%+v", m)
		}
		for i := range m.Left {
			g := &m.Left[i]
			p := OpenPart{Kind: kindUnit, Stream: g.Stream, Reason: g.Reason, Said: g}
			if !strings.HasPrefix(p.Why(), g.Stream) || p.Again() == "" {
				t.Errorf("%q", p.Why())
			}
		}
		m.leave(&run.Result{Status: run.StatusFailed, KnownGaps: []run.KnownGap{{Reason: "x"}}}, nil)
		if m.said("", "x") == nil {
			t.Error("what was left is not remembered")
		}
	})
}

// A setup that reaches nobody says so in its own words: nothing waits yet, and what
// answers without TLS is said to be that.
func TestEnrollmentThatReachesNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		fails error
		want  []string
	}{
		{io.ErrUnexpectedEOF, []string{"check the address", "the same code is good for another try"}},
		{http.ErrSchemeMismatch, []string{"does not speak TLS", "http://", "the same code"}},
	} {
		_, err := client.Enroll(t.Context(), client.EnrollRequest{
			BaseURL: "https://127.0.0.1:7", Code: profile.NewToken("ldecode"), Transport: broken{c.fails}, Now: time.Now,
		})
		p := problem(err)
		for _, want := range c.want {
			if !strings.Contains(p.Message+" "+p.Hint, want) {
				t.Errorf("%q is missing: %+v", want, p)
			}
		}
		if strings.Contains(p.Hint, "what waits") || p.Code != string(client.CodeUnreachable) {
			t.Errorf("%+v", p)
		}
	}
	w.deps.Transport = broken{http.ErrSchemeMismatch}
	_, err := w.collector().lane.StatePage(t.Context(), "")
	if p := problem(err); !strings.Contains(p.Message, "does not speak TLS") {
		t.Errorf("%+v", p)
	}
}

type broken struct{ err error }

func (b broken) RoundTrip(*http.Request) (*http.Response, error) { return nil, b.err }

// The file stays as it is on the disk while the memory is the same, and is replaced once it
// differs: whoever reads it reads a whole one.
func TestMemoryIsWrittenWhenItChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	look := func() os.FileInfo {
		t.Helper()
		info, err := os.Lstat(w.collector().memoryPath())
		w.ok(err)
		return info
	}
	script := skips(`"stream":"notes","reason":"malformed_lines","recovery_hint":"not_retriable","diagnostics":{"examples":["a<b"]}`) + done(0)
	w.run(script)
	first := look()
	w.run(script)
	w.collector().Forget()
	if !os.SameFile(first, look()) {
		t.Error("it was written again, and says the same")
	}
	w.collector().NotBegun(missing)
	second := look()
	if os.SameFile(first, second) || second.Mode().Perm() != 0o600 {
		t.Errorf("%v", second.Mode())
	}
	w.collector().Forget() // what it says now it has said before
	if os.SameFile(second, look()) || w.failed() != nil {
		t.Error("it was not written")
	}
}

// However much the connector said of what it left, why the last execution failed is
// remembered, and so is who gets on with what is left.
func TestMemoryHoldsTheFailureWhateverElseIsSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	left := &run.Result{Status: run.StatusSucceeded}
	for i := range 50 {
		left.KnownGaps = append(left.KnownGaps, run.KnownGap{
			Stream: "notes", Reason: fmt.Sprintf("reason_%d", i), RecoveryHint: "not_retriable", Message: strings.Repeat("\x01", 200),
			Diagnostics: json.RawMessage(`{"examples":["` + strings.Repeat("<", 8<<10-20) + `"]}`),
		})
	}
	c := w.collector()
	c.remember(time.Now(), &RunResult{Run: left}, nil, nil)
	c.NotBegun(missing)
	if f := w.failed(); f == nil || f.Code != string(abi.CodePluginUnknown) {
		t.Errorf("%+v", f)
	}
	m := c.recall()
	if g := m.said("notes", "reason_49"); g == nil || !final(g.RecoveryHint) {
		t.Errorf("%+v", g)
	}
}

// A host that takes a part and then ends the credential takes nothing more: what
// waits is not on its way, and the next run does not go on by itself.
func TestCredentialThatEndsOnTheWay(t *testing.T) {
	t.Parallel()
	for code, refusal := range map[abi.Code]answer{
		client.CodeUnauthorized: {status: 401}, client.CodeGone: {status: 404, body: `{"error":{"code":"not_found"}}`},
		client.CodeProtocol: {status: 409, body: `{"error":{"code":"collector_protocol_mismatch"}}`},
	} {
		w := newWorld(t).guest()
		taken := 0
		w.host.fail(func(r *http.Request, _ []byte) (*answer, error) {
			if !strings.HasSuffix(r.URL.Path, "/ingest-batches") {
				return nil, nil
			}
			if taken++; taken == 1 {
				return nil, nil
			}
			return &refusal, nil
		})
		res := w.run(records("notes", 0, 2500) + done(2500))
		w.same(res.Delivered.Acknowledged, 1, "taken")
		if why := res.Undelivered(); why == nil || why.Code != string(code) {
			t.Errorf("%s: %+v", code, why)
		}
		if f := w.failed(); f == nil || f.Code != string(code) || !f.Delivering || !f.Lasting {
			t.Errorf("%s: %+v", code, f)
		}
		// One that is only away for a while has the rest later.
		w.host.fail(nil)
		w.same(w.run(done(0)).Outcome, OutcomeComplete, "once it takes it")
		w.same(w.failed() == nil, true, "forgotten")
	}
}
