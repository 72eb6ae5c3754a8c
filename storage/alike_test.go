package storage

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

var (
	sequences = flag.Int("sequences", 60, "how many random sequences to run on both databases")
	sequence  = flag.Int("sequence", 1, "the first one's seed")
)

const alikeSteps = 60

// FL-01.1: the same random sequence of operations leaves the same in a SQLite file and on
// PostgreSQL, and is answered alike.
func TestBothDatabasesAreAlike(t *testing.T) {
	t.Parallel()
	pgtest.OnFile(t)
	_ = pgtest.Database(t, migrated) // says so where there is none
	count := *sequences
	if testing.Short() {
		count /= 10 // for the race detector, which finds nothing new in the others
	}
	dir := t.TempDir()
	var next, alike, rows atomic.Int64
	for lane := range 8 {
		t.Run(fmt.Sprint("lane", lane), func(t *testing.T) {
			t.Parallel()
			for !t.Failed() {
				n := int(next.Add(1)) - 1
				if n >= count {
					return
				}
				t.Run(fmt.Sprint("sequence=", *sequence+n), func(t *testing.T) {
					rows.Add(alikeOnce(t, filepath.Join(dir, fmt.Sprint(n)), *sequence+n))
					alike.Add(1)
				})
			}
		})
	}
	t.Cleanup(func() { t.Logf("%d sequences left %d rows, the same ones on both", alike.Load(), rows.Load()) })
}

// alikeOnce runs one sequence on both. Where they differ, it looks for the first step
// behind which they do.
func alikeOnce(t *testing.T, path string, seed int) (rows int64) {
	t.Helper()
	run := func(steps int) (file, server *alike) {
		// Each round has a database of its own: what is left of another one differs.
		t.Run(fmt.Sprint("steps=", steps), func(t *testing.T) {
			file = follow(t, fmt.Sprint(path, "-", steps), seed, steps)
			server = follow(t, pgtest.Database(t, migrated), seed, steps)
		})
		return file, server
	}
	file, server := run(alikeSteps)
	if t.Failed() {
		return 0
	}
	for steps := 1; file.text() != server.text(); steps++ {
		if file, server := run(steps); file.text() != server.text() || steps == alikeSteps {
			t.Fatalf("seed %d differs behind step %d (%s):\n%s", seed, steps, strings.Join(file.steps[max(0, len(file.steps)-3):], ", "), difference(file.text(), server.text()))
		}
	}
	return int64(len(file.export))
}

// difference are the lines that only one of two texts has.
func difference(file, server string) string {
	a, b := strings.Split(file, "\n"), strings.Split(server, "\n")
	var out []string
	for _, line := range a {
		if !slices.Contains(b, line) {
			out = append(out, "file:   "+line)
		}
	}
	for _, line := range b {
		if !slices.Contains(a, line) {
			out = append(out, "server: "+line)
		}
	}
	return strings.Join(out, "\n")
}

// alike is a random history of everything that a store does.
type alike struct {
	history

	stale  []*RunWriter // whose lease another run took
	asked  int
	steps  []string
	said   []string // answers
	export []string
}

func (a *alike) text() string {
	return strings.Join(a.said, "\n") + "\n" + strings.Join(a.export, "\n")
}

// follow runs the sequence that a seed chooses. The draws depend on the seed and on what
// the store answers.
func follow(t *testing.T, path string, seed, steps int) *alike {
	t.Helper()
	a := &alike{}
	var stopped any
	rapid.Custom(func(rt *rapid.T) bool {
		defer func() { stopped = recover() }()
		_ = rapid.Bool().Draw(rt, "open") // a sequence that draws nothing is tried again, and its failure is lost
		ids := 0
		a.history = history{t: rt, ctx: t.Context(), clock: newClock(), path: path, known: map[string]*collected{}}
		a.newID = func() string { ids++; return fmt.Sprintf("id%06d", ids) }
		a.open()
		defer func() { _ = a.s.Close() }()
		for range steps {
			a.do()
		}
		a.sound()
		a.export = exportOf(t, a.s)
		return true
	}).Example(seed)
	if stopped != nil {
		t.Fatalf("seed %d on %s, behind %v: %v", seed, a.path, a.steps, stopped)
	}
	return a
}

func (a *alike) answer(what string, err error, more ...any) {
	word := "done"
	if err != nil {
		word = string(abi.CodeOf(err))
	}
	a.said = append(a.said, fmt.Sprintln(append([]any{len(a.steps), what, word}, more...)...))
	if abi.CodeOf(err) == abi.CodeStoreUnavailable && err != nil {
		a.ok(err)
	}
}

// do makes one step: two of three are those of every history.
func (a *alike) do() {
	before := maps.Clone(a.live)
	if rapid.IntRange(0, 2).Draw(a.t, "kind") > 0 {
		a.steps = append(a.steps, "history")
		s := a.s
		a.step()
		if a.s != s {
			before, a.stale = nil, nil
		}
	} else {
		a.more()
	}
	for _, name := range []string{"c", "d"} {
		if w := before[name]; w != nil && a.live[name] != nil && a.live[name] != w {
			a.stale = append(a.stale, w)
		}
	}
}

// enumerate begins an enumeration, or goes on with one, and perhaps closes it.
func (a *alike) enumerate(w *RunWriter) {
	ctx := a.ctx
	var collected []string // the boundary lets no other stream through
	for _, s := range w.To.Streams {
		collected = append(collected, s.Name)
	}
	e := Enumeration{Stream: a.draw("stream", collected...), Part: a.draw("part", "", "p", "q")}
	how := Opening{Enumeration: e, Narrowed: rapid.IntRange(0, 9).Draw(a.t, "narrowed") == 0}
	if rapid.IntRange(0, 2).Draw(a.t, "goes on") == 0 {
		how.BegunBy = w.RunID()
	}
	a.answer("enumerate", w.Enumerate(ctx, how))
	a.answer("enumerate", w.Write(ctx, a.records(w)))
	a.answer("enumerate", w.Met(ctx, e, []string{a.draw("met", "a", "k1", "ü")}))
	keys, err := w.Missing(ctx, e, "", 3)
	a.answer("enumerate", err, keys)
	if rapid.Bool().Draw(a.t, "closed") {
		a.answer("enumerate", w.LeaveEnumeration(ctx, e))
		a.answer("enumerate", w.CommitSlice(ctx, e.Stream, []byte(`{}`), "s", Sweep{Enumeration: e, Accepted: rapid.Bool().Draw(a.t, "accepted")}))
		a.answer("enumerate", w.Flush(ctx), w.Swept())
	}
}

func (a *alike) more() {
	ctx, name := a.ctx, a.draw("connection", "c", "d")
	what := a.draw("more", "batch", "batch", "batch", "enumerate", "enumerate", "enumerate", "gaps", "gaps", "gaps", "deliver", "cursor", "cursor", "checkpoints", "backfill", "busy", "stale", "beat", "renew", "destinations",
		"due", "serve", "examine", "claim", "options", "environment", "audit", "audited", "ask", "ask", "answer", "reads", "erase", "erase", "restore")
	a.steps = append(a.steps, what)
	w := a.live[name]
	c, err := a.s.EnsureConnection(ctx, name, "demo")
	a.ok(err)
	switch what {
	case "batch":
		if w != nil {
			a.answer(what, w.Write(ctx, a.records(w)))
			a.answer(what, w.Flush(ctx), w.Counts())
		}
	case "erase", "restore":
		change := a.s.EraseRecord
		if what == "restore" {
			change = a.s.RestoreRecord
		}
		a.answer(what, change(ctx, name, a.draw("stream", "a", "b"), a.draw("erased", "k", "l", "ü", "a b")))
	case "enumerate":
		if w != nil {
			a.enumerate(w)
		}
	case "gaps":
		if w != nil {
			a.gaps(w)
		}
	case "deliver":
		if x := a.fed["e"]; x != nil {
			a.deliver(x)
		}
	case "cursor":
		if w != nil {
			move := func(ctx context.Context, stream string, cursor []byte, slice string) error {
				return w.CommitSlice(ctx, stream, cursor, slice)
			}
			if rapid.Bool().Draw(a.t, "staged") {
				move = w.Stage
			}
			a.answer(what, move(ctx, a.draw("stream", "a", "b"), []byte(a.draw("cursor", `{"at":1}`, `"é"`, `1.0`, `{"b":1,"a":[ ]}`)), a.draw("slice", "", "s1")))
			a.answer(what, w.Flush(ctx))
		}
	case "checkpoints":
		if w != nil {
			a.ok(w.Write(ctx, a.records(w)))
			a.answer(what, w.Finish(ctx, Outcome{
				Status: "succeeded", Checkpoints: []StateCommit{{Stream: w.To.Streams[0].Name, Cursor: []byte(`{"n":1}`)}}, PressureOver: rapid.Bool().Draw(a.t, "over"),
				Result: []byte(`{"status":"succeeded"}`), Events: []Event{{Type: "run.completed", Data: []byte(`{"a":1.0}`)}},
				Destinations: []Destination{{Host: "example.org:443", Requests: 1, BytesOut: 2, BytesIn: 3}},
			}), w.Counts())
			delete(a.live, name)
		}
	case "backfill", "busy":
		a.again(name, c.ID, what)
	case "stale":
		for _, w := range a.stale {
			_ = put(ctx, w, 0, "k=stale")
			a.answer(what, w.Flush(ctx))
			a.answer(what, w.Heartbeat(ctx))
		}
	case "beat":
		if w != nil {
			a.answer(what, w.Heartbeat(ctx))
		}
	case "renew":
		if w != nil {
			a.answer(what, w.ReplaceCredentials(ctx, map[string][]byte{"token": {1}}, map[string][]byte{"token": []byte("\x00\xff'")}))
		}
	case "destinations":
		if w != nil {
			a.answer(what, w.AddDestinations(ctx, []Destination{{Host: a.draw("host", "a:1", "b:1"), Requests: 1, BytesIn: 1 << 40}}))
		}
	case "due":
		a.answer(what, a.s.PutDue(ctx, c.ID, Due{Basis: a.draw("basis", "x", "y"), At: a.clock.Now().Add(time.Hour)}))
	case "serve":
		alive := rapid.Bool().Draw(a.t, "alive")
		other, err := a.s.Serve(ctx, a.draw("holder", "h1", "h2"), time.Hour, func(string) bool { return alive })
		a.answer(what, err, other != nil)
		if rapid.Bool().Draw(a.t, "stop") {
			a.answer(what, a.s.StopServing(ctx, "h1"))
		}
	case "examine":
		list, err := a.s.Examinations(ctx, a.clock.Now(), nil, 10)
		for i := range list {
			a.said = append(a.said, fmt.Sprint(list[i].Connection.Name, list[i].Revision, list[i].At))
			list[i].At = a.clock.Now().Add(time.Hour)
		}
		a.answer(what, err)
		a.answer(what, a.s.PutOffExaminations(ctx, list))
	case "claim":
		fresh, err := a.s.ClaimConfirmation(ctx, c.ID, a.draw("action", "reauth", "retry_gap"), a.draw("version", "1", "2"))
		a.answer(what, err, fresh)
	case "options":
		c.Options = map[string]string{"o": a.draw("option", "1", "ü'\"", "")}
		a.answer(what, a.s.UpdateConnection(ctx, *c))
	case "environment":
		a.answer(what, a.s.RejectEnvironment(ctx, c.ID, a.draw("mark", "1", "2")))
	case "audit":
		a.answer(what, a.s.RecordAudit(ctx, a.audit(name), 48*time.Hour))
	case "audited":
		with, done := WithAudit(ctx, a.audit(name), 48*time.Hour)
		a.answer(what, a.s.PutSchedule(with, Schedule{ConnectionID: c.ID, Mode: "manual", Paused: rapid.Bool().Draw(a.t, "paused")}), done.Recorded())
	case "ask":
		if w != nil {
			a.asked++
			a.answer(what, a.s.OpenQuestion(ctx, Question{ID: fmt.Sprint("q", a.asked), RunID: fmt.Sprint("run", a.runs), ConnectionID: c.ID, Kind: "otp", Message: "é'?", Deadline: a.clock.Now()}))
		}
	case "answer":
		id := fmt.Sprint("q", a.asked)
		a.answer(what, a.s.AnswerQuestion(ctx, id, "session", []byte(a.draw("sealed", "\x00\xff'", "")), nil))
		if rapid.Bool().Draw(a.t, "taken") {
			state, sealed, err := a.s.TakeAnswer(ctx, id, QuestionTimedOut)
			a.answer(what, err, state, sealed)
		}
	case "reads":
		a.reads(name, c.ID)
	}
}

// records are a batch: the same key twice, in any order, deleted and revived, rejected,
// and with data that is the same in other words.
func (a *alike) records(w *RunWriter) *Batch {
	b := w.NewBatch()
	for range rapid.IntRange(1, 40).Draw(a.t, "records") {
		stream := rapid.IntRange(0, 1).Draw(a.t, "stream")
		key := []byte(a.draw("key", "k", "l", "K", "ü", "'", `["x","y"]`, "z\u2028", "%_", "a b"))
		if op := rapid.IntRange(0, 5).Draw(a.t, "op"); op == 0 {
			b.Reject(stream, HashKey(key))
		} else {
			b.Add(stream, key, []byte(a.draw("data", alikeData...)), []byte(a.draw("emitted", "t", "u")), op == 1)
		}
	}
	return b
}

var alikeData = []string{
	"1", "2", "1.0", "10e-1", `[]`, `{}`, `{"b":1,"a":2}`, `{"a":2,"b":1}`, `{"a":2, "b":1}`, `{"b":1,"a":2,"a":3}`, `{"b":1,"a":3,"a":2}`, `{"a":1.0,"b":[1,2]}`, `{"b":[1,2],"a":1.0}`,
	`{"t":"it's é"}`, `{"t":"it's \u00e9"}`, `{"t":"\u0000?"}`, `{"n":12345678901234567890123}`, `{"n":12345678901234567890124}`,
	`{"long":"` + strings.Repeat("x", 5000) + `"}`, `{"long":"` + strings.Repeat("x", 4999) + `y"}`,
}

// again begins a run: of another bookmark, or while the holder of the one before may live.
func (a *alike) again(name, id, what string) {
	a.runs++
	n := NewRun{
		RunID: fmt.Sprint("run", a.runs), ConnectionID: id, Connector: "demo", Version: "1", ModuleSHA256: "abc", Mode: abi.ModeIncremental, Bookmark: BookmarkIncremental,
		Holder: "h", Streams: []string{"a", "b", "extra"}, LeaseTTL: time.Hour, HolderAlive: func(string) bool { return what == "busy" },
	}
	if what == "backfill" {
		n.Mode, n.Bookmark = abi.ModeBackfill, BookmarkBackfill
	}
	w, err := a.s.BeginRun(a.ctx, n)
	a.answer(what, err)
	if err != nil {
		return
	}
	a.said = append(a.said, fmt.Sprint(w.Epoch(), w.State()))
	a.live[name] = w
	k := a.of(name)
	if k.running {
		k.settledHad = k.runHad
	}
	k.running, k.runHad = true, k.stored
}

func (a *alike) audit(subject string) AuditEvent {
	return AuditEvent{Actor: "session", ActorID: "s1", Operation: a.draw("operation", "connections.set", "runs.stop"), Subject: subject, Outcome: "done"}
}

// reads asks what the commands ask, in their pages.
func (a *alike) reads(name, id string) {
	for _, stream := range []string{"a", "b"} {
		list, err := a.s.Changes(a.ctx, name, 0, 7)
		a.answer("changes", err, fmt.Sprintf("%+v", list))
		a.answer("records", a.s.EachRecord(a.ctx, name, stream, func(r Record) error {
			a.said = append(a.said, show(r))
			return nil
		}))
	}
	gaps, err := a.s.Gaps(a.ctx, id, GapQuery{Limit: 3})
	a.answer("gaps", err, fmt.Sprintf("%+v", gaps))
	state, err := a.s.Checkpoints(a.ctx, name)
	a.answer("cursors", err, fmt.Sprintf("%+v", state))
	fleet, err := a.s.Fleet(a.ctx, a.clock.Now(), func(string) bool { return true }, true)
	a.answer("fleet", err, fmt.Sprintf("%+v", fleet))
	events, err := a.s.AuditEvents(a.ctx, AuditQuery{Limit: 3, Actor: "session", ActorID: "s1", Outcome: "done", Until: a.clock.Now().Add(time.Hour)})
	a.answer("audit", err, fmt.Sprintf("%+v", events))
	asked, err := a.s.Questions(a.ctx, QuestionQuery{}, nil)
	a.answer("questions", err, fmt.Sprintf("%+v", asked))
}

func (a *alike) sound() {
	r, err := a.s.Check(a.ctx)
	a.ok(err)
	differ, err := a.s.CheckEvidence(a.ctx)
	a.ok(err)
	if len(r.Problems) > 0 || len(differ) > 0 {
		a.t.Fatalf("got problems %v, evidence of %v that differs; want none", r.Problems, differ)
	}
}
