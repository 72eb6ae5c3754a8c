package device

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

var (
	deaths = flag.Int("deaths", 12, "how often something is killed")
	seed   = flag.Uint64("seed", 1, "of the moments of the deaths")
)

// LC-01.2, LC-03.2, LC-04.2, LC-06.1: the collector, its worker and the host are killed
// at random moments of a lane's life, which continues to collect and deliver new
// records. In the end the host has every record, each came in once, nothing was
// committed before its records, and both files are intact.
func TestDeaths(t *testing.T) {
	t.Parallel()
	n := *deaths
	if testing.Short() {
		n = min(n, 4)
	}
	s, m := newHost(t), newMachine(t)
	fill(t, m.folder, 20, 400_000)
	w := newWay(t, s)
	l := m.enroll(w.server.URL, s.invite())
	// The duration of an undisturbed run: the deaths should meet one.
	began := time.Now()
	l.runs(done)
	length := time.Since(began)
	rng := rand.New(rand.NewPCG(*seed, 0))
	met := map[string]int{}
	left := 0
	for i := range n {
		victim := []string{"collector", "host", "collector", "worker"}[i%4]
		grow(t, m.folder, 1000+uint64(i), 150_000+rng.Int64N(400_000))
		l.timePasses()
		d := &death{victim: victim, after: time.Duration(rng.Int64N(int64(length)))}
		if i%3 != 0 {
			d.waitsFor(w, []string{ingest, putState, commit}[rng.IntN(3)], rng.IntN(2) == 0)
		}
		if l.killed(s, d) {
			met[victim]++
		}
		w.clears()
		w.awaitDead()
		if victim == "host" {
			s.kill()
			intact(t, s.file())
			s.address = ""
			s.begin()
			w.leadsTo(s)
		}
		intact(t, l.file())
		if got := l.sql("SELECT count(*) FROM outbox WHERE status <> 'succeeded'"); got[0] != "0" {
			left++
		}
		if i%5 == 4 { // now and then one of them reaches its end
			l.drains(4)
		}
	}
	if got := l.drains(6); got.Outcome != "complete" {
		t.Errorf("%+v\n%s, want Outcome = complete", got, got.text)
	}
	s.holds(l, found(t, m.folder))
	s.onceEach(l)
	if got := s.sql("SELECT count(*) FROM runs WHERE status = 'running'"); got[0] != "0" {
		t.Errorf("%s runs never ended, want 0", got[0])
	}
	if got := s.sql("SELECT count(*) - count(DISTINCT batch_id) FROM device_batches"); got[0] != "0" {
		t.Errorf("%s batches were taken twice, want 0", got[0])
	}
	w.clearAccount()
	if r := l.runs(done); r.Outcome != "complete" || len(w.account(ingest)) > 0 {
		t.Errorf("something was left: %+v %+v, want Outcome = complete and len(w.account(ingest)) = 0", r, w.account())
	}
	s.healthy(s.sql("SELECT name FROM connections WHERE id = ?", l.connectionID)[0])
	s.stop()
	intact(t, s.file())
	intact(t, l.file())
	s.runCommand(0, "doctor")
	t.Logf("%d deaths, of which met a run: %v; %d left something in the outbox", n, met, left)
	if met["collector"] == 0 || met["host"] == 0 || left == 0 {
		t.Error("no death was in the way of a delivery")
	}
}

// death is who dies when: after a while, or while a request is on its way.
type death struct {
	victim   string
	after    time.Duration
	reached  chan struct{} // closed when the request is there
	released chan struct{} // closed when the victim is dead
}

// waitsFor puts the death at the next request of a kind: before the host has seen it,
// or after its answer, before the answer arrives.
func (d *death) waitsFor(w *way, kind string, answered bool) {
	d.after, d.reached, d.released = 20*time.Second, make(chan struct{}), make(chan struct{})
	w.addTrouble(trouble{kind: kind, do: func(rw http.ResponseWriter, h *hop) {
		if answered {
			h.forward()
		}
		close(d.reached)
		select {
		case <-h.r.Context().Done():
		case <-d.released:
		}
		cut(rw, h)
	}})
}

// killed begins an execution and kills the victim in it. It reports whether there
// was still an execution to disturb.
func (l *lane) killed(s *host, d *death) bool {
	l.t.Helper()
	cmd, out, problems := l.command(l.b.collector, append([]string{"run", "--json"}, l.args...)...)
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
		return false
	case <-d.reached:
	case <-time.After(d.after):
	}
	switch d.victim {
	case "host":
		s.kill()
	case "worker":
		for _, pid := range childrenOf(cmd.Process.Pid) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	default:
		workers := childrenOf(cmd.Process.Pid)
		_ = cmd.Process.Kill()
		defer l.followed(workers)
	}
	if d.released != nil {
		close(d.released)
	}
	<-ended
	l.storeOutput("pdpp-local-collector run, disturbed", said{cmd.ProcessState.ExitCode(), out.Bytes(), problems.Bytes()})
	return true
}

// followed waits for workers whose collector is dead, which may not outlive it.
func (l *lane) followed(workers []int) {
	l.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for range 2000 {
		alive := false
		for _, pid := range workers {
			line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			alive = alive || strings.Contains(string(line), "plugin-worker")
		}
		if !alive {
			return
		}
		<-tick.C
	}
	l.t.Errorf("workers %v outlive their collector", workers)
}

func childrenOf(pid int) []int {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	var out []int
	for _, path := range tasks {
		b, _ := os.ReadFile(path)
		for f := range strings.FieldsSeq(string(b)) {
			if n, err := strconv.Atoi(f); err == nil {
				out = append(out, n)
			}
		}
	}
	return out
}
