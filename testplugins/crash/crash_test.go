//go:build linux

package crash

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/tree"
)

var (
	crashes = flag.Int("crashes", 12, "how many times to kill")
	seed    = flag.Uint64("seed", 1, "of the moments of the kills")
	size    = flag.String("size", "24MB", "how much input to generate")
)

// database is where the hosts of a test keep their store.
type database interface {
	fresh(data string)               // the next host begins with an empty store
	env() []string                   // of the host
	query(data, query string) string // rows end with the record separator, columns with the unit separator
	integrity() string               // a query of one row, ok
	victims() []string               // host and worker, and what of the database can die by itself
	strike(victim string) bool       // kills what is the database's own; false: there was nothing
}

// TestCrash kills the host or its worker at random moments of a run of a real
// connector, then runs again without --full-refresh: a checkpoint ahead of its
// records would leave records out for good, a re-delivery that was not
// recognised would show as a new sequence or a changed row. Invariant 1,
// Invariant 2; PB-D8, PB-A7: the checkpoint never passes the last durable slice.
func TestCrash(t *testing.T) { crash(t, file{t}) }

func crash(t *testing.T, store database) {
	t.Helper()
	if testing.Short() {
		t.Skip("kills processes for a while")
	}
	dir := t.TempDir()
	host := build(t, filepath.Join(dir, "pdpp-host"), "cmd/pdpp-host")
	plugins := filepath.Join(dir, "plugins")
	if err := os.Mkdir(plugins, 0o700); err != nil {
		t.Fatal(err)
	}
	build(t, filepath.Join(plugins, "claude_code.wasm"), "plugins/claude_code")
	input := filepath.Join(dir, "home")
	command(t, "go", "run", "../generate", "-kind", "claude_code", "-bytes", *size, "-seed", "7", "-out", input)
	h := harness{database: store, t: t, host: host, plugins: plugins, connector: "claude_code", input: input, cache: filepath.Join(dir, "cache")}

	store.fresh("")
	clean := filepath.Join(dir, "clean")
	h.run(clean) // fills the module cache, so that the next one is timed as the others are
	// The shortest of three runs shows how long an undisturbed one takes: most kills
	// should meet one.
	length := time.Hour
	var whole string
	for i := range 3 {
		whole = filepath.Join(dir, fmt.Sprintf("whole%d", i))
		store.fresh(whole)
		began := time.Now()
		h.run(whole)
		length = min(length, time.Since(began))
	}
	want := h.records(whole)
	if len(want) == 0 {
		t.Fatal("the run without a kill stored nothing")
	}
	t.Logf("a whole run takes %v and stores %d records", length, len(want))

	rng := rand.New(rand.NewPCG(*seed, 0))
	killedMidRun, resumed := 0, 0
	victims := store.victims()
	for i := range *crashes {
		data := filepath.Join(dir, fmt.Sprintf("crash%d", i))
		victim := victims[i%len(victims)]
		store.fresh(data)
		moment := time.Duration(rng.Int64N(int64(length)))
		if h.kill(data, victim, moment) {
			killedMidRun++
		}
		if n := len(h.records(data)); n > 0 {
			resumed++
		}
		h.check(data)
		h.run(data)
		h.check(data)
		got := h.records(data)
		if !slices.Equal(got, want) {
			t.Fatalf("kill %d (%s after %v): %s, want got = %v", i, victim, moment, difference(got, want), want)
		}
		// Nothing is left to collect: a checkpoint is not behind for good either.
		if err := os.RemoveAll(data); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d kills, %d of them in the middle of a run, %d with records already stored: 0 lost, 0 duplicated, every store intact",
		*crashes, killedMidRun, resumed)
	if killedMidRun == 0 {
		t.Fatal("no kill met a run")
	}
}

type harness struct {
	database
	t                           *testing.T
	host, plugins, input, cache string
	connector                   string
}

func (h harness) args(data string, more ...string) *exec.Cmd {
	if err := os.MkdirAll(data, 0o700); err != nil {
		h.t.Fatal(err)
	}
	// The compiled module is shared, so that kills fall into the run and not
	// into the compiler.
	if _, err := os.Stat(h.cache); err == nil {
		_ = os.Symlink(h.cache, filepath.Join(data, "cache"))
	}
	cmd := exec.Command(h.host, append([]string{"--data-dir", data, "--plugins", h.plugins}, more...)...)
	cmd.Env = append(h.env(), "HOME="+filepath.Dir(h.input), "PATH="+os.Getenv("PATH"))
	return cmd
}

func (h harness) runArgs(data string) *exec.Cmd {
	return h.args(data, "run", h.connector, "--root", h.connector+"="+h.input, "--no-input", "--accept", "--quiet")
}

func (h harness) run(data string) {
	h.t.Helper()
	if out, err := h.runArgs(data).CombinedOutput(); err != nil {
		h.t.Fatalf("run: %v\n%s", err, out)
	}
	if _, err := os.Stat(h.cache); err != nil {
		_ = os.Rename(filepath.Join(data, "cache"), h.cache)
	}
}

// kill starts a run and kills the victim after a while. It reports whether there was
// still something to kill.
func (h harness) kill(data, victim string, after time.Duration) bool {
	cmd := h.runArgs(data)
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
		return false
	case <-time.After(after):
	}
	pid := cmd.Process.Pid
	switch victim {
	case "host":
	case "worker":
		if children := childrenOf(pid); len(children) > 0 {
			pid = children[0]
		}
	default:
		met := h.strike(victim)
		<-ended // it may go on, and end well
		return met
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	return <-ended != nil
}

// records returns "stream key sequence-free data hash" of every live record,
// sorted.
func (h harness) records(data string) []string {
	h.t.Helper()
	out := h.query(data, `SELECT s.name, r.key, r.deleted, r.data FROM records r JOIN streams s ON s.id = r.stream_id`)
	lines := strings.Split(strings.TrimSuffix(out, "\x1e"), "\x1e")
	if out == "" {
		return nil
	}
	for i, line := range lines {
		sum := sha256.Sum256([]byte(line))
		lines[i] = line[:min(len(line), 80)] + " " + hex.EncodeToString(sum[:8])
	}
	slices.Sort(lines)
	return lines
}

func (h harness) check(data string) {
	h.t.Helper()
	cmd := h.args(data, "doctor", "--deep", "--json")
	if out, err := cmd.CombinedOutput(); err != nil && bytes.Contains(out, []byte("storage.corrupt")) {
		h.t.Fatalf("doctor: %v\n%s", err, out)
	}
	if out := h.query(data, h.integrity()); strings.Trim(out, "\x1e\n") != "ok" && out != "" {
		h.t.Fatalf("integrity check: %s, want ok", out)
	}
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

func difference(got, want []string) string {
	extra, missing := 0, 0
	first := ""
	for _, g := range got {
		if _, ok := slices.BinarySearch(want, g); !ok {
			if extra++; first == "" {
				first = "not expected: " + g
			}
		}
	}
	for _, w := range want {
		if _, ok := slices.BinarySearch(got, w); !ok {
			if missing++; missing == 1 {
				first += "; missing: " + w
			}
		}
	}
	return fmt.Sprintf("%d records for %d: %d lost, %d not expected; %s", len(got), len(want), missing, extra, first)
}

func build(t *testing.T, out, folder string) string {
	t.Helper()
	if err := tree.Compile(out, folder, ""); err != nil {
		t.Fatal(err)
	}
	return out
}

func command(t *testing.T, name string, args ...string) {
	t.Helper()
	if b, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, b)
	}
}
