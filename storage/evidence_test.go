package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// keptManifest belongs to a connector that may run by itself, with a week's window.
const keptManifest = `{"capabilities":{"refresh_policy":{"recommended_mode":"automatic","background_safe":true,"maximum_staleness_seconds":604800}},
"streams":[{"name":"a"},{"name":"b"},{"name":"extra","required":false},{"name":"attachments","required":false,"coverage_policy":"unsupported"}]}`

// enoughHistories is how many random histories meet, for sure, what a test wants to see at
// least once. On PostgreSQL, under the race detector, a test draws three.
const enoughHistories = 50

// signedManifest is keptManifest of a connector that has to sign in.
var signedManifest = strings.TrimSuffix(keptManifest, "}") +
	`,"setup":{"credential_capture":{"kind":"form","fields":[{"name":"token","required":true},{"name":"note"}]}}}`

// TestEvidenceFollowsFacts drives a store through random runs, gaps, crashes,
// credentials and manifests, and holds every connection's row to the one that is
// made of everything that is stored.
//
// Invariant 7.
func TestEvidenceFollowsFacts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		d := &history{t: rt, known: map[string]*collected{}, ctx: t.Context(), clock: newClock(), path: anew(t, filepath.Join(dir, fmt.Sprint(n)))}
		d.open()
		defer func() { _ = d.s.Close() }()
		for range rapid.IntRange(1, 15).Draw(rt, "steps") {
			d.step()
			differ, err := d.s.CheckEvidence(d.ctx)
			if d.ok(err); len(differ) > 0 {
				rt.Fatalf("the evidence of %v is not what its facts make: %s", differ, d.difference(differ[0]))
			}
			d.countsAgree()
			d.greenIsKnown()
		}
	})
}

// TestGreenIsKnown holds the verdict after random runs, whole and narrowed, well
// and badly ended, to what somebody knows who remembers all of them.
//
// Invariant 8.
func TestGreenIsKnown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n, green := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		d := &history{t: rt, known: map[string]*collected{}, ctx: t.Context(), clock: newClock(), path: anew(t, filepath.Join(dir, fmt.Sprint(n)))}
		d.open()
		defer func() { _ = d.s.Close() }()
		c, err := d.s.EnsureConnection(d.ctx, "c", "demo")
		d.ok(err)
		d.ok(d.s.PinPlugin(d.ctx, c.ID, "abc", []byte(keptManifest)))
		for range rapid.IntRange(1, 8).Draw(rt, "runs") {
			d.clock.forward(time.Duration(rapid.IntRange(0, 60).Draw(rt, "hours")) * time.Hour)
			d.begin("c")
			if rapid.IntRange(0, 2).Draw(rt, "luck") > 0 {
				d.succeed("c")
			} else {
				d.end(d.of("c"), d.live["c"])
			}
			green += d.greenIsKnown()
		}
	})
	if n >= enoughHistories && green == 0 {
		t.Error("no history made anything green")
	}
}

// succeed ends a run with nothing to say.
func (d *history) succeed(name string) {
	w := d.live[name]
	d.ok(w.Finish(d.ctx, Outcome{Status: tables.StatusSucceeded, PressureOver: true}))
	d.of(name).keep(namesOf(w), Outcome{Status: tables.StatusSucceeded}, d.clock.Now())
	d.of(name).ended(tables.StatusSucceeded)
}

// history is one random sequence of facts.
type history struct {
	t     *rapid.T
	ctx   context.Context
	s     *Store
	clock *clock
	path  string
	newID func() string // of connections, gaps and leases; nil: random
	runs  int
	live  map[string]*RunWriter // by connection
	known map[string]*collected // likewise
	fed   map[string]*onDevice  // by binding
}

// collected is what somebody who remembers every run knows of a connection's
// required streams.
type collected struct {
	at      map[string]time.Time // when a run last collected all of it
	failed  map[string]bool      // a run failed to since
	missing map[string]bool      // a run said that something of it cannot be had, and none since did not

	stored             bool // a credential is
	running            bool // a run has no end
	runHad, settledHad bool // that run, and the last one that counts, could use one
}

func (d *history) of(connection string) *collected {
	if d.known[connection] == nil {
		d.known[connection] = &collected{at: map[string]time.Time{}, failed: map[string]bool{}, missing: map[string]bool{}}
	}
	return d.known[connection]
}

func (d *history) ok(err error) {
	if err != nil {
		d.t.Fatalf("%v: %v", err, errors.Unwrap(err))
	}
}

func (d *history) open() {
	s, err := Open(d.ctx, Options{Path: d.path, Now: d.clock.Now, NewID: d.newID, unsynced: true})
	d.ok(err)
	d.s, d.live = s, map[string]*RunWriter{}
}

func (d *history) draw(what string, from ...string) string {
	return rapid.SampledFrom(from).Draw(d.t, what)
}

func (d *history) step() {
	d.clock.forward(time.Duration(rapid.IntRange(0, 1000).Draw(d.t, "minutes")) * time.Minute)
	name := d.draw("connection", "c", "d")
	switch d.draw("step", "run", "run", "run", "records", "gaps", "gaps", "end", "end", "end", "manifest", "credential", "schedule", "dispatch", "asks", "reopen", "remove", "prune",
		"device", "device", "device", "device", "device", "device") {
	case "device":
		d.device()
	case "run":
		d.begin(name)
	case "records":
		if w := d.live[name]; w != nil {
			d.ok(put(d.ctx, w, rapid.IntRange(0, 1).Draw(d.t, "stream"), d.draw("record", "k=1", "k=2", "l=1", "-k", "-l", "!k", "!l")))
			d.ok(w.Flush(d.ctx))
		}
	case "gaps":
		if w := d.live[name]; w != nil {
			d.gaps(w)
		}
	case "end":
		if w := d.live[name]; w != nil {
			d.end(d.of(name), w)
			delete(d.live, name)
		}
	case "manifest":
		c, err := d.s.EnsureConnection(d.ctx, name, "demo")
		d.ok(err)
		d.ok(d.s.PinPlugin(d.ctx, c.ID, "abc", []byte(d.draw("manifest", keptManifest, signedManifest, `{"streams":[{"name":"a"}]}`, "no manifest"))))
	case "credential":
		c, err := d.s.EnsureConnection(d.ctx, name, "demo")
		d.ok(err)
		if k := d.of(name); rapid.Bool().Draw(d.t, "forget") {
			_, err = d.s.DeleteCredential(d.ctx, c.ID, "token")
			k.stored = false
		} else {
			err = d.s.PutCredentials(d.ctx, c.ID, map[string][]byte{"token": {1}})
			k.stored, k.runHad = true, true
		}
		d.ok(err)
	case "schedule":
		c, err := d.s.EnsureConnection(d.ctx, name, "demo")
		d.ok(err)
		d.ok(d.s.PutSchedule(d.ctx, Schedule{ConnectionID: c.ID, Mode: d.draw("mode", "", "manual"), Paused: rapid.Bool().Draw(d.t, "paused")}))
	case "dispatch":
		c, err := d.s.EnsureConnection(d.ctx, name, "demo")
		d.ok(err)
		x := Dispatch{ConnectionID: c.ID, Status: "skipped", Reason: d.draw("why", "x", "y"), Holds: stored.HoldKind(d.draw("holds", "", "until", "for_good", "owner"))}
		if x.Holds == stored.HeldUntil {
			x.Until = d.clock.Now().Add(time.Hour)
		}
		st, err := d.s.ScheduleState(d.ctx, c.ID, 1)
		d.ok(err)
		if len(st.Runs) > 0 {
			x.AfterRun = st.Runs[0].Number
		}
		x.AfterRun -= int64(rapid.IntRange(0, 3).Draw(d.t, "late") / 3)
		x.PutRight = rapid.Bool().Draw(d.t, "put right")
		_, err = d.s.RecordDispatch(d.ctx, x)
		d.ok(err)
		d.ok(d.s.AdoptSchedule(d.ctx, c.ID))
	case "asks":
		if w := d.live[name]; w != nil {
			d.ok(w.Event(d.ctx, Event{Type: d.draw("event", evidence.EventAsks, evidence.EventAnswered, "run.other")}))
			d.ok(w.Flush(d.ctx))
		}
	case "prune":
		d.prune(name)
	case "reopen":
		d.ok(d.s.Close())
		d.open()
	case "remove":
		if _, err := d.s.Connection(d.ctx, name); err == nil && d.live[name] == nil {
			if err := d.s.RemoveConnection(d.ctx, name, nil); abi.CodeOf(err) != abi.CodeConnectionBusy {
				d.ok(err)
				delete(d.known, name)
			}
		}
	}
}

func (d *history) begin(name string) {
	c, err := d.s.EnsureConnection(d.ctx, name, "demo")
	d.ok(err)
	d.runs++
	streams := [][]string{{"a", "b", "extra"}, {"a"}, {"b", "extra"}}[rapid.IntRange(0, 2).Draw(d.t, "scope")]
	if len(streams) == 1 {
		streams = append(streams, "other")
	}
	w, err := d.s.BeginRun(d.ctx, NewRun{
		RunID: fmt.Sprintf("run%d", d.runs), ConnectionID: c.ID, Connector: "demo", Mode: d.draw("mode", abi.ModeIncremental, abi.ModeFullRefresh),
		Bookmark: BookmarkIncremental, Holder: "h", Streams: streams, LeaseTTL: time.Hour, HolderAlive: func(string) bool { return false },
	})
	d.ok(err)
	d.live[name] = w
	k := d.of(name)
	if k.running { // it was left behind
		k.settledHad = k.runHad
	}
	k.running, k.runHad = true, k.stored
}

func (d *history) gaps(w *RunWriter) {
	g := Gap{
		Stream: d.draw("stream", "a", "b", "gone"), RecordKey: d.draw("key", "1", "2", "3"),
		Reason: d.draw("reason", "rate_limited", "upstream_pressure", "retry_exhausted", "temporary_unavailable"),
	}
	if rapid.Bool().Draw(d.t, "later") {
		g.NextAttemptAfter = d.clock.Now().Add(time.Duration(rapid.IntRange(1, 100).Draw(d.t, "hours")) * time.Hour)
	}
	switch d.draw("gap", "put", "put", "lease", "recover", "attempt", "close") {
	case "put":
		d.ok(w.PutGap(d.ctx, g))
	case "lease":
		_, err := w.LeaseGaps(d.ctx, GapPage{Streams: []string{"a", "b"}, MaxBytes: 1 << 20, Due: d.clock.Now()})
		d.ok(err)
	default:
		all, err := d.s.Gaps(d.ctx, w.To.ConnectionID, GapQuery{Limit: tables.MaxPage})
		d.ok(err)
		if len(all) == 0 {
			return
		}
		id := all[rapid.IntRange(0, len(all)-1).Draw(d.t, "which")].ID
		switch d.draw("outcome", "recovered", "attempted", "closed") {
		case "recovered":
			d.ok(w.GapOutcome(d.ctx, id, "", true))
		case "attempted":
			d.ok(w.GapOutcome(d.ctx, id, "", false))
		default:
			d.ok(w.GiveUp(d.ctx, id))
		}
	}
	d.ok(w.Flush(d.ctx))
}

func (d *history) end(c *collected, w *RunWriter) {
	o := Outcome{Status: d.draw("status", "succeeded", "succeeded", "failed", "cancelled"), Narrowed: rapid.Bool().Draw(d.t, "narrowed")}
	if o.Status == "failed" {
		o.Reason = d.draw("reason", "connector_reported_failed", "connector_exit_without_done")
		o.Error = &RunError{Code: d.draw("code", "demo_auth_failed", "demo_http_500", "x"), RecoveryHint: d.draw("hint", "", "refresh_credentials")}
	}
	o.KnownGaps = []byte(d.draw("known", "", "", `[]`, `not JSON`,
		`[{"kind":"skip","stream":"a","severity":"actionable","reason":"selector","recovery_hint":"update_selector"}]`,
		`[{"kind":"interaction","severity":"actionable","reason":"interaction_timeout","recovery_hint":"refresh_credentials"}]`,
		`[{"kind":"skip","stream":"b","severity":"recoverable","reason":"x"},{"kind":"skip","stream":"a","severity":"informational","reason":"y"}]`))
	if rapid.Bool().Draw(d.t, "held back") {
		o.Withheld = []Withheld{{Stream: "b", Reason: "detail_coverage_incomplete"}}
	}
	switch d.draw("pressure", "", "armed", "over") {
	case "armed":
		o.Pressure = &Pressure{Reason: "rate_limited", NextAttempt: d.clock.Now().Add(time.Hour)}
	case "over":
		o.PressureOver = true
	}
	seven := int64(7)
	d.ok(w.PutCoverage(d.ctx, Coverage{Stream: "a", StateStream: "a", Considered: &seven, Covered: &seven}))
	d.ok(w.PutCoverage(d.ctx, Coverage{Stream: "a", StateStream: "b", Required: 4, Hydrated: 2}))
	d.ok(w.Finish(d.ctx, o))
	c.keep(namesOf(w), o, d.clock.Now())
	c.ended(o.Status)
}

// ended remembers whether a run that ended could use a credential.
func (c *collected) ended(status string) {
	if c.running = false; status != tables.StatusCancelled {
		c.settledHad = c.runHad
	}
}

// keep remembers a run's end.
func (c *collected) keep(streams []string, o Outcome, now time.Time) {
	if o.Narrowed || o.Status == "cancelled" {
		return
	}
	said := string(o.KnownGaps)
	for _, s := range streams {
		skipped := strings.Contains(said, `"stream":"`+s+`","severity":"actionable"`)
		later := strings.Contains(said, `"stream":"`+s+`","severity":"recoverable"`) || s == "b" && o.Withheld != nil
		switch {
		case said == "not JSON", o.Status == "failed":
			c.failed[s] = true
		case !skipped && !later:
			c.at[s] = now
			delete(c.failed, s)
		}
		if skipped {
			c.missing[s] = true
		} else if said != "not JSON" && o.Status != "failed" {
			delete(c.missing, s)
		}
	}
}

func namesOf(w *RunWriter) (names []string) {
	for _, s := range w.To.Streams {
		names = append(names, s.Name)
	}
	return names
}

// greenIsKnown holds every green verdict to what is remembered, and counts them.
func (d *history) greenIsKnown() (green int) {
	page, err := d.s.EvidencePage(d.ctx, "", 0)
	d.ok(err)
	for i := range page {
		e, now := &page[i], d.clock.Now()
		v := verdict.OfStored(e.Facts, e.Moment(now, nil), true)
		d.signedOutIsSaid(e, &v)
		if v.Pill.Tone != verdict.Green {
			continue
		}
		green++
		if e.Facts.Device != nil && e.SettledRun == "" {
			d.knownByDevice(e, now)
			continue
		}
		c := d.of(e.Name)
		for _, stream := range []string{"a", "b"} {
			at := c.at[stream]
			if at.IsZero() || now.Sub(at) > 7*24*time.Hour || c.failed[stream] || c.missing[stream] {
				d.t.Fatalf("%s is green, and its stream %s was collected at %v, failed %v, missing %v", e.Name, stream, at, c.failed[stream], c.missing[stream])
			}
		}
		gaps, err := d.s.Gaps(d.ctx, e.ConnectionID, GapQuery{Limit: tables.MaxPage})
		d.ok(err)
		var rejected int64
		d.ok(d.s.db.Read.QueryRowContext(d.ctx, `SELECT count(*) FROM rejected_records r JOIN streams s ON s.id = r.stream_id
WHERE s.connection_id = ? AND s.name IN ('a', 'b')`, e.ConnectionID).Scan(&rejected))
		if rejected > 0 {
			d.t.Fatalf("%s is green, and %d rejected records have not arrived", e.Name, rejected)
		}
		for _, g := range gaps {
			if g.Stream != "gone" && (g.Status == GapPending || g.Status == GapInProgress) {
				d.t.Fatalf("%s is green with a gap of %s", e.Name, g.Stream)
			}
		}
	}
	return green
}

// signedOutIsSaid holds what is said of a credential to who remembers them all: one
// that is required and that the last run had is gone, or it is not.
func (d *history) signedOutIsSaid(e *Evidence, v *verdict.RenderedVerdict) {
	m, k := e.Facts.Manifest, d.of(e.Name)
	if m == nil || e.Facts.Device != nil {
		return
	}
	want := len(m.Credentials) > 0 && k.settledHad && !k.stored
	if got := conditionOf(v, health.CredentialsValid).Reason == "credential_required"; got != want {
		d.t.Fatalf("%s is signed out: %v, and it is said: %v", e.Name, want, got)
	}
}

// countsAgree holds the counted fleet to the verdicts one by one, now and later.
func (d *history) countsAgree() {
	page, err := d.s.EvidencePage(d.ctx, "", 0)
	d.ok(err)
	for _, ahead := range []time.Duration{0, 29 * time.Minute, time.Hour, 8 * 24 * time.Hour} {
		now := d.clock.Now().Add(ahead)
		alive := func(string) bool { return ahead == 0 }
		fleet, err := d.s.Fleet(d.ctx, now, alive, true)
		d.ok(err)
		var byTone [4]int64
		for i := range page {
			v := verdict.OfStored(page[i].Facts, page[i].Moment(now, alive), true)
			byTone[slices.Index([]verdict.Tone{verdict.Green, verdict.Amber, verdict.Red, verdict.Grey}, v.Pill.Tone)]++
		}
		if got := [4]int64{fleet.Healthy, fleet.Degraded, fleet.CannotCollect, fleet.Checking}; got != byTone || fleet.Registered != int64(len(page)) {
			d.t.Fatalf("%s ahead the fleet counts %v, its verdicts are %v", ahead, got, byTone)
		}
	}
}

func (d *history) difference(name string) string {
	c, err := d.s.Connection(d.ctx, name)
	d.ok(err)
	var row evidence.Row
	d.ok(d.s.db.Read.NewSelect().Model(&row).Where("connection_id = ?", c.ID).Scan(d.ctx))
	made, retained, err := evidence.NewGatherer(d.ctx, d.s.db.Read).All(c.ID)
	d.ok(err)
	text, err := json.Marshal(made)
	d.ok(err)
	return fmt.Sprintf("kept %d %s\nmade %d %s", row.Retained, row.Facts, retained, text)
}

// An unreadable row is unknown, and never what it said last (Invariant 8).
func TestUnreadableEvidenceIsUnknown(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]string{
		"document":        "UPDATE evidence SET facts = substr(facts, 1, 40)",
		"no document":     "UPDATE evidence SET facts = ''",
		"counters":        `UPDATE evidence SET facts = replace(facts, '"gaps":{', '"gaps":{"recovered":-1,')`,
		"known gaps":      "UPDATE runs SET known_gaps = '[{'",
		"manifest":        "UPDATE connections SET pinned_manifest = '{'",
		"a later program": "UPDATE evidence SET format = 99",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := &exercise{T: t, open: sqliteFile(t), clock: newClock()}
			x.s = x.open(t, x.clock.Now)
			c := x.connection("c")
			x.ok(x.s.PinPlugin(t.Context(), c.ID, "abc", []byte(keptManifest)))
			x.finish(x.begin("c", allStreams))
			if v := x.verdict("c"); v.Pill.Tone != verdict.Green {
				t.Fatalf("before: got %+v, want green", v.Pill)
			}
			x.ok(x.s.db.Alone(t.Context(), "damage", func(tx *db.Tx) error {
				_, err := tx.DB.ExecContext(tx.Ctx, damage)
				return err
			}))
			if name == "known gaps" || name == "manifest" { // facts behind the row: it says so once it is made again
				x.ok(x.s.RepairEvidence(t.Context(), "c"))
			} else if differ, err := x.s.CheckEvidence(t.Context()); err != nil || len(differ) != 1 {
				t.Errorf("the damage: got %v and %v, want one connection that differs", differ, err)
			}
			if v := x.verdict("c"); v.Pill.Tone != verdict.Grey || v.Channel != verdict.Calm {
				t.Errorf("after: got %+v, %s, want grey, calm", v.Pill, v.ForwardStatement)
			}
			if name != "known gaps" && name != "manifest" {
				x.ok(x.s.RepairEvidence(t.Context(), "c"))
				if v := x.verdict("c"); v.Pill.Tone != verdict.Green {
					t.Errorf("repaired: got %+v, want green", v.Pill)
				}
			}
		})
	}
}

func (x *exercise) verdict(name string) verdict.RenderedVerdict {
	x.Helper()
	e, err := x.s.EvidenceOf(x.Context(), name)
	x.ok(err)
	return verdict.OfStored(e.Facts, e.Moment(x.clock.Now(), func(h string) bool { return h == "holder1" }), true)
}

func allStreams(n *NewRun) { n.Streams = []string{"a", "b", "extra"} }
