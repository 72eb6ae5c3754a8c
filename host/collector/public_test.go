package collector

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/collector/client"
	"github.com/pdpp-host/pdpp-host/storage"
)

// A run is delivered to a host that knows the public protocol alone, a deletion without
// data and a key of several fields as a list, and the next one goes on from what it committed.
func TestDeliversToAPublicHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	h := w.onPublicHost()
	const ranked = `emit {"type":"RECORD","stream":"ranked","key":["a","0-1"],"data":{"id":"a","range":"0-1"},"emitted_at":"2026-02-03T04:05:06Z"}` + "\n" +
		`emit {"type":"RECORD","stream":"ranked","key":["b","0-1"],"op":"delete","emitted_at":"2026-02-03T04:05:06Z"}` + "\n"
	res := w.run(records("notes", 0, 3) + goneNote + ranked + slice("notes", `{"at":1}`) + state("notes", `{"at":2,"9":1,"10":2}`) + done(6))
	w.same(res.Outcome, OutcomeGaps, "outcome: no enumeration of the ranked")
	w.same(string(h.state["notes"]), `{"at":2,"9":1,"10":2}`, "the cursor")
	w.same(len(h.records), 4, "records")
	w.same(h.deleted, []string{"notes notes-1", "ranked [b 0-1]"}, "deleted")
	w.same(w.counts().DeadLetter+w.counts().Pending, 0, "rows that wait")
	res = w.run(state("notes", `{"at":3}`) + done(0))
	w.same(res.Outcome, OutcomeComplete, "outcome of the second run")
	w.same(string(h.state["notes"]), `{"at":3}`, "the cursor after the second run")
	if got := strings.Join(h.calls, ", "); strings.Contains(got, "terminal-run-commits") {
		t.Errorf("calls %s, want no commit: nothing was said of the stores", got)
	}
}

// goneNote deletes a note.
const goneNote = `emit {"type":"RECORD","stream":"notes","key":"notes-1","op":"delete","emitted_at":"2026-02-03T04:05:06Z"}` + "\n"

// Such a host loses a record under its earlier key once it has the record under the other one, also where that key is a list. If it
// refuses the record, the earlier one stays. On an append-only stream it stays in any case.
func TestAPublicHostIsToldOfAnotherKey(t *testing.T) {
	t.Parallel()
	const at = `"emitted_at":"2026-02-03T04:05:06Z"`
	w := newWorld(t).guest()
	h := w.onPublicHost()
	h.bad = "notes bad"
	w.run(records("notes", 0, 3) + `emit {"type":"RECORD","stream":"notes","key":"bad","moved_from":"notes-0","data":{"id":"bad"},` + at + `}` + "\n" +
		`emit {"type":"RECORD","stream":"notes","key":"a","moved_from":"notes-1","data":{"id":"a"},` + at + `}` + "\n" +
		`emit {"type":"RECORD","stream":"ranked","key":["a","0-1"],"moved_from":["b","0-1"],"data":{"id":"a","range":"0-1"},` + at + `}` + "\n" +
		`emit {"type":"RECORD","stream":"journal","key":"a","moved_from":"b","data":{"id":"a"},` + at + `}` + "\n" + done(7))
	w.same(slices.Sorted(maps.Keys(h.records)), []string{"journal a", "notes a", "notes notes-0", "notes notes-1", "notes notes-2", "ranked [a 0-1]"}, "records")
	w.same(h.deleted, []string{"notes notes-1", "ranked [b 0-1]"}, "deleted")
}

// A lane whose deletion such a host refused, because an older collector sent it with data,
// goes on by itself.
func TestALaneThatADeletionBlockedGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	h := w.onPublicHost()
	h.busy["POST ingest-batches"] = 1
	w.run(goneNote + state("notes", `{"at":1}`) + done(1))
	s := w.open()
	_, err := s.RequeueDeadLetters(t.Context(), false)
	w.ok(err)
	held, err := s.Claim(t.Context(), storage.ClaimRequest{Holder: "h", Lease: time.Minute, Limit: 1})
	w.ok(err)
	w.same(len(held), 1, "rows that wait")
	w.ok(s.DeadLetter(t.Context(), &held[0], "http_400:invalid_request", "400 invalid_request, records[0].data must be omitted or {} for delete"))
	w.ok(s.Close())
	res := w.run(done(0))
	w.same(res.Outcome, OutcomeComplete, "outcome")
	w.same(h.deleted, []string{"notes notes-1"}, "deleted")
	w.same(string(h.state["notes"]), `{"at":1}`, "the cursor")
}

// A run that fails leaves nothing behind that such a host would refuse, and its gaps
// go out under reasons that it knows.
func TestAFailedRunHoldsNothingUpAtAPublicHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	h := w.onPublicHost()
	gap := `gap {"type":"DETAIL_GAP","stream":"messages","parent_stream":"chats","record_key":"b","reason":"temporary_unavailable","retryable":true,"status":"pending","detail_locator":{"id":"b"}}` + "\n"
	res, err := w.collector().Run(t.Context(), w.script(records("notes", 0, 2)+gap+
		`done {"type":"DONE","status":"failed","records_emitted":2,"error":{"code":"broken","message":"broken"}}`))
	w.ok(err)
	w.same(res.Outcome, OutcomeFailed, "outcome")
	w.same(len(h.records), 2, "records")
	w.same(w.counts().DeadLetter, 0, "dead letters")
	w.same(len(h.gaps), 1, "gaps")
	for _, g := range h.gaps {
		w.same(g["reason"], "connector_child_failure", "the gap's reason")
		w.same(g["details"], "temporary_unavailable", "the gap's details")
	}
	w.same(w.run(done(0)).Outcome == OutcomeDeadLetter, false, "the next run is held up")
}

// The end of a run that accounted for its stores goes out with the ten members of the
// public protocol, and the host's hash of them is believed.
func TestCommitsToAPublicHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.onPublicHost()
	c := w.collector()
	payload := func(status string) *storage.OutboxItem {
		return &storage.OutboxItem{Kind: storage.KindRunCommit, Payload: []byte(`{"version":1,"collection_boundary":"unscoped","commit_id":"c_1","run_id":"r_1",` +
			`"connector_id":"scripted","source_instance_id":"src_1","state_delta":{"notes":{"9":1,"10":2}},` +
			`"terminal_facts":[{"stream":"notes","coverage_statuses":["missing","collected"]}],"outcome":{"status":"` + status + `"}}`)}
	}
	for _, public := range []bool{true, false} {
		if c.lane.PublicOnly = public; !public {
			w.deps.Transport = w.host // one that takes outcomes
			c = w.collector()
		}
		if err := c.lane.Send(t.Context(), payload("succeeded")); err != nil {
			t.Errorf("to a public host %t: %v, want it to be taken", public, err)
		}
	}
	c.lane.PublicOnly = true
	if err := c.lane.Send(t.Context(), payload("failed")); err != client.ErrUnsaid { //nolint:errorlint // it is not wrapped
		t.Errorf("a failed run: %v, want nothing to be sent", err)
	}
	c.lane.Withhold = []string{"notes"}
	if err := c.lane.Send(t.Context(), payload("succeeded")); err != client.ErrUnsaid { //nolint:errorlint // it is not wrapped
		t.Errorf("the end of a run of which the host refuses the one stream: %v, want nothing to be sent", err)
	}
	w.same(len(h.commits), 1, "commits")
}

// A host that is busy for a moment, while its state is asked for, costs no run.
func TestBusyStateIsAskedForAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		h := w.onPublicHost()
		c := w.collector()
		for busy, want := range map[int]int{0: 1, 1: 2, 3: 4, 99: 4} {
			h.busy["GET state"] = busy
			asked := 0
			state, err := c.lane.Client.AskAgain(t.Context(), func() (*device.State, error) {
				asked++
				return c.lane.State(t.Context())
			})
			if good := busy < 4; good != (err == nil && state != nil) || asked != want {
				t.Errorf("busy %d times: asked %d times, %v; want %d", busy, asked, err, want)
			}
		}
	})
}

// An artifact goes to no host that knows the public protocol alone: it is given up
// after a few attempts, and doctor says why.
func TestAPublicHostTakesNoArtifacts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		h := w.onPublicHost()
		s := w.open()
		w.ok(s.EnqueueBlob(t.Context(), "text/plain", []byte("an artifact")))
		w.ok(s.Close())
		for range 9 {
			w.over(func(e *execution) {
				e.lane.PublicOnly = true
				w.ok(e.deliverFirst(t.Context()))
			})
			time.Sleep(time.Hour)
		}
		c, tried := w.counts(), 0
		w.same([]any{c.DeadLetter, c.DeadLetterClasses}, []any{1, []device.ErrorClass{{Count: 1, Class: "http_404:" + client.CodeNoArtifacts}}}, "given up")
		for _, call := range h.calls {
			if strings.HasPrefix(call, "PUT ") {
				tried++
			}
		}
		w.same(tried, w.collector().policy.MaxAttempts, "attempts")
		d, err := w.collector().Doctor(t.Context())
		w.ok(err)
		if i := slices.IndexFunc(d.Checks, func(c Check) bool { return c.Name == "delivery" }); i < 0 || !strings.Contains(d.Checks[i].Remedy, "takes no artifacts") {
			t.Errorf("doctor says %+v, want that the host takes no artifacts", d.Checks)
		}
	})
}

// When the host wants another part of the source than before, cursors that were
// committed for the former part are not begun from, however often it takes until new
// ones are.
func TestAnotherScopeCollectsAnew(t *testing.T) {
	t.Parallel()
	const note = `emit {"type":"RECORD","stream":"notes","key":"n","data":{"id":"n","at":"2026-03-01T00:00:00Z"},"emitted_at":"2026-03-01T00:00:00Z"}` + "\n"
	w := newWorld(t).guest()
	h := w.onPublicHost()
	all := h.scope
	h.scope = `{"declared_at":"2026-02-03T04:05:06.789Z","fingerprint":"x","scope":{"since":"2026-02-03T04:05:06Z"}}`
	well := note + state("notes", `{"at":2}`) + done(1)
	for i, c := range []struct {
		scope, expect, then, since string
		outcome                    string
	}{
		{h.scope, `"state":null`, well, "2026-02-03T04:05:06Z", OutcomeComplete},
		{h.scope, `"state":{"notes":{"at":2}}`, well, "2026-02-03T04:05:06Z", OutcomeComplete},
		{all, `"state":null`, `done {"type":"DONE","status":"failed","records_emitted":0,"error":{"message":"x"}}`, "", OutcomeFailed},
		{all, `"state":null`, well, "", OutcomeComplete},
		{all, `"state":{"notes":{"at":2}}`, well, "", OutcomeComplete},
		{h.scope, `"state":null`, well, "2026-02-03T04:05:06Z", OutcomeComplete},
	} {
		h.scope = c.scope
		res, err := w.collector().Run(t.Context(), w.script("expect "+c.expect+"\n"+c.then))
		w.ok(err)
		if res.Outcome != c.outcome || res.Since != c.since {
			t.Errorf("run %d: outcome %s since %q, want %s since %q: %+v", i+1, res.Outcome, res.Since, c.outcome, c.since, res.Run.Error)
		}
		s, err := w.collector().Status(t.Context())
		w.ok(err)
		w.same(s.Since, c.since, "what the status says")
	}
}

// A host's declared scope is kept to: what is older than its since is not collected,
// it is no cursor of the connector's, and what cannot be kept to is refused.
func TestTheHostsScopeIsKept(t *testing.T) {
	t.Parallel()
	const since = "2026-02-03T04:05:06Z"
	const note = `emit {"type":"RECORD","stream":"notes","key":"n","data":{"id":"n","at":"2026-03-01T00:00:00Z"},"emitted_at":"2026-03-01T00:00:00Z"}` + "\n"
	scope := func(scope string) string {
		return `{"declared_at":"2026-02-03T04:05:06.789Z","fingerprint":"x","scope":` + scope + `}`
	}
	for name, c := range map[string]struct {
		scope, expect string
		code          abi.Code
	}{
		"all of it":     {scope("null"), `"state":{"notes":{"at":1}}`, ""},
		"since":         {scope(`{"since":"` + since + `"}`), `"since":"` + since, ""},
		"folders":       {scope(`{"source_roots":["/home/ana/notes"]}`), "", abi.CodeRootInvalid},
		"since no time": {scope(`{"since":"yesterday"}`), "", client.CodeAnswer},
		"no object":     {`{"scope":[]}`, "", client.CodeAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).guest()
			h := w.onPublicHost()
			h.scope, h.state["notes"] = c.scope, json.RawMessage(`{"at":1}`)
			res, err := w.collector().Run(t.Context(), w.script("expect "+c.expect+"\n"+note+state("notes", `{"at":2}`)+done(1)))
			if c.code != "" {
				w.same(abi.CodeOf(err), c.code, "code")
				w.same(len(h.records), 0, "records at the host")
				return
			}
			w.ok(err)
			if res.Outcome != OutcomeComplete {
				t.Errorf("outcome %s, want %s: %+v", res.Outcome, OutcomeComplete, res.Run.Error)
			}
			w.same(string(h.state["notes"]), `{"at":2}`, "the cursor")
			if _, taken := h.state[device.ScopeKey]; taken {
				t.Error("the scope was sent back as a cursor")
			}
		})
	}
}
