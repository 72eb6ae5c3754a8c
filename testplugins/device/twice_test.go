package device

import (
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The answer to an enrollment is lost: the same code is valid once more, for the same
// device, and the lost credential is dead. It is not valid a third time.
func TestEnrollmentIsLost(t *testing.T) {
	t.Parallel()
	s, m := newHost(t), newMachine(t)
	fill(t, m.folder, 40, 50_000)
	w := newWay(t, s)
	code := s.invite()
	w.addTrouble(trouble{kind: enroll, do: lose})
	if got := m.does(code, m.b.collector, "enroll", "--base-url", w.server.URL, "--code-stdin", "--json"); got.status == 0 {
		t.Errorf("it is enrolled without an answer\n%s, want status not 0", got.stdout)
	}
	if got := contents(t, m.dir, ".config"); len(got) != 0 {
		t.Errorf("a profile was made: %d files, want 0", len(got))
	}
	before := s.sql("SELECT token_sha256 FROM devices")
	l := m.enroll(w.server.URL, code)
	if after := s.sql("SELECT token_sha256 FROM devices"); len(before) != 1 || len(after) != 1 || before[0] == after[0] {
		t.Errorf("%d devices, then %d; was the credential changed: %v, want len(before) = 1, len(after) = 1 and before[0] not after[0]", len(before), len(after), before[0] != after[0])
	}
	l.runs(done)
	s.holds(l, found(t, m.folder))
	if got := m.does(code, m.b.collector, "enroll", "--base-url", w.server.URL, "--code-stdin", "--json", "--profile", "thief"); got.status == 0 {
		t.Errorf("a used code is good again\n%s, want status not 0", got.stdout)
	}
	l.runs(done)
}

// Two executions of one lane at once: one works, the other is refused or works after
// it, and everything is there once.
func TestTwoAtOnce(t *testing.T) {
	long(t)
	t.Parallel()
	s, m := newHost(t), newMachine(t)
	fill(t, m.folder, 41, 300_000)
	w := newWay(t, s)
	l := m.enroll(w.server.URL, s.invite())
	l.runs(done)
	for round := range 3 {
		grow(t, m.folder, 4100+uint64(round), 150_000)
		var ended []chan error
		for range 3 {
			cmd, out, problems := l.command(l.b.collector, append([]string{"run", "--json"}, l.args...)...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			over := make(chan error, 1)
			ended = append(ended, over)
			go func() {
				_ = cmd.Wait() // the status is looked at
				if status := cmd.ProcessState.ExitCode(); status != 0 && status != 3 && status != 4 {
					over <- errors.New(out.String() + problems.String())
				}
				close(over)
			}()
		}
		for _, over := range ended {
			if err := <-over; err != nil {
				t.Errorf("round %d: %v", round, err)
			}
		}
	}
	l.drains(4)
	s.holds(l, found(t, m.folder))
	s.onceEach(l)
	if got := s.sql("SELECT count(*) FROM runs WHERE status = 'running'"); got[0] != "0" {
		t.Errorf("%s runs never ended, want 0", got[0])
	}
	intact(t, l.file())
	intact(t, s.file())
}

// A supervisor stops the collector in the middle. Its exit status says so, it commits
// only collected records, and the next execution continues.
func TestStopped(t *testing.T) {
	long(t)
	t.Parallel()
	s, m := newHost(t), newMachine(t)
	fill(t, m.folder, 42, 2_000_000)
	w := newWay(t, s)
	l := m.enroll(w.server.URL, s.invite())
	for signal, want := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143} {
		w.clearAccount()
		w.addTrouble(trouble{kind: ingest, times: -1, do: delay(100 * time.Millisecond)})
		cmd, out, problems := l.command(l.b.collector, append([]string{"run", "--json"}, l.args...)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		tick := time.NewTicker(2 * time.Millisecond)
		for range 10_000 {
			if len(w.account(ingest)) > 0 {
				break
			}
			<-tick.C
		}
		tick.Stop()
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // the status is looked at
		said := said{cmd.ProcessState.ExitCode(), out.Bytes(), problems.Bytes()}
		l.storeOutput("pdpp-local-collector run, stopped", said)
		if said.status != want {
			t.Errorf("%v: exits with %d, want %d\n%s%s", signal, said.status, want, said.stdout, said.stderr)
		}
		w.clears()
		grow(t, m.folder, 4200+uint64(want), 100_000)
	}
	l.drains(4)
	s.holds(l, found(t, m.folder))
	s.onceEach(l)
	s.healthy(s.sql("SELECT name FROM connections WHERE id = ?", l.connectionID)[0])
}

// LC-04: the host's state counts, and nothing else. A lost outbox loses nothing
// committed, and a host restored from an older copy of its store gets its lost records
// again.
func TestOneSideForgets(t *testing.T) {
	long(t)
	t.Parallel()
	s, m := newHost(t), newMachine(t)
	fill(t, m.folder, 43, 150_000)
	w := newWay(t, s)
	l := m.enroll(w.server.URL, s.invite())
	l.runs(done)

	// Something waits, and the outbox is lost with it.
	grow(t, m.folder, 44, 100_000)
	w.addTrouble(trouble{kind: ingest, times: -1, do: cut})
	l.runs(waits)
	w.clears()
	for _, end := range []string{"", "-wal", "-shm"} {
		mustRemove(t, l.file()+end)
	}
	w.clearAccount()
	l.accept() // the acceptance was lost with the outbox
	l.drains(3)
	s.holds(l, found(t, m.folder))

	s.stop()
	old, err := os.ReadFile(s.file())
	if err != nil {
		t.Fatal(err)
	}
	again := func() {
		s.begin()
		w.leadsTo(s)
	}
	again()
	grow(t, m.folder, 45, 100_000)
	l.runs(done)
	s.stop()
	for _, end := range []string{"-wal", "-shm"} {
		mustRemove(t, s.file()+end)
	}
	if err := os.WriteFile(s.file(), old, 0o600); err != nil {
		t.Fatal(err)
	}
	again()
	grow(t, m.folder, 46, 50_000)
	l.drains(3)
	s.holds(l, found(t, m.folder))
	s.onceEach(l)
	s.healthy(s.sql("SELECT name FROM connections WHERE id = ?", l.connectionID)[0])
}

// LC-09.1, LC-09.2, LC-09.5, LC-09.6: the environment's count bounds the confirmed
// rows, without a copy of the file; an invalid word does not count.
func TestPrune(t *testing.T) {
	long(t)
	t.Parallel()
	s, m := newHost(t), newMachine(t)
	fill(t, m.folder, 47, 400_000)
	l := m.enroll(s.url(), s.invite())
	env := slices.Clone(m.env)
	for _, c := range []struct {
		set  []string
		keep int64 // 0: everything stays
	}{
		{[]string{"PDPP_COLLECTOR_AUTO_PRUNE=off", "PDPP_COLLECTOR_AUTO_PRUNE_KEEP_COUNT=1"}, 0},
		{[]string{"PDPP_COLLECTOR_AUTO_PRUNE_KEEP_COUNT=0"}, 0},
		{[]string{"PDPP_COLLECTOR_AUTO_PRUNE_KEEP_COUNT=many"}, 0},
		{[]string{"PDPP_COLLECTOR_AUTO_PRUNE_KEEP_COUNT=3"}, 3},
	} {
		m.env = append(slices.Clone(env), c.set...)
		before := int64(0)
		if _, err := os.Stat(l.file()); err == nil {
			before = l.state().Outbox.Counts.Sent
		}
		r := l.runs(done)
		sent := l.state().Outbox.Counts.Sent
		if r.Outbox.Sent != sent || c.keep == 0 && sent <= before || c.keep > 0 && (sent != c.keep || before <= c.keep) {
			t.Errorf("%v: %d rows stay of %d, the run says %d, want it to keep %d and to say so", c.set, sent, before, r.Outbox.Sent, c.keep)
		}
		if disabled := strings.HasSuffix(c.set[0], "=off"); r.PrunedSent.Enabled == disabled || c.keep > 0 && r.PrunedSent.Pruned == 0 {
			t.Errorf("%v: %+v, want pruning unless it is off", c.set, r.PrunedSent)
		}
	}
	if v := l.state(); v.LifecycleState != "healthy_idle" || v.Coverage.Observed == nil || !*v.Coverage.Observed {
		t.Errorf("the lane forgot what it had delivered: %+v, want v.LifecycleState = healthy_idle, v.Coverage.Observed not nil and *v.Coverage.Observed", v)
	}
	for path := range contents(t, m.dir, ".local/state") {
		if name := strings.TrimSuffix(strings.TrimSuffix(path, "-wal"), "-shm"); !strings.HasSuffix(name, "claude_code-"+l.source+".sqlite") {
			t.Errorf("there is a copy: %s, want %v at the end of name", path, "claude_code-"+l.source+".sqlite")
		}
	}
	s.holds(l, found(t, m.folder))
}
