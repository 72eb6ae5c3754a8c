package house_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// failing are packages of tests that fail, by name. Each may ask how often it was run.
var failing = map[string]string{
	"first":   `func TestFirst(t *testing.T) { if run() == 1 { t.Error("fails") } }; func TestBeside(t *testing.T) {}`,
	"twice":   `func TestTwice(t *testing.T) { if n := run(); n == 1 || n == 4 { t.Error("fails") } }`,
	"skipped": `func TestSkipped(t *testing.T) { if run() == 1 { t.Error("fails") }; t.Skip("for once") }`,
	"three":   three,
	"four":    strings.Replace(three, "4", "5", 1) + `; func TestD(t *testing.T) { TestA(t) }`,
	"panics":  `func TestPanics(t *testing.T) { if run() == 1 { panic("it") } }`,
	"within":  `func TestWithin(t *testing.T) { if run() == 1 { t.Errorf("the other process: %s\n%s", "exit status 1", "panic: it") } }`,
	"slow":    `func TestSlow(t *testing.T) { if run() == 1 { t.Error("fails") } }; func TestWaits(t *testing.T) { if run() == 2 { select {} } }`,
	"races":   `func TestRaces(t *testing.T) { if run() == 1 { t.Error("fails"); println("WARNING: DATA RACE") } }`,
	"leaks":   `func TestFine(t *testing.T) {}; func TestMain(m *testing.M) { code := m.Run(); if run() == 1 { code = 1 }; os.Exit(code) }`,
	"leaves":  `func TestA(t *testing.T) { if run() == 1 { t.Error("fails") } }; func TestMain(m *testing.M) { code := m.Run(); if run() == 6 { code = 1 }; os.Exit(code) }`,
	"ends":    `func TestA(t *testing.T) { if run() == 1 { t.Error("fails") } }; func TestB(t *testing.T) { if run() == 2 { os.Exit(1) } }`,
	"glued":   `func TestA(t *testing.T) { if run() == 1 { t.Error("fails") } }; func TestB(t *testing.T) { if run() == 2 { os.Stdout.WriteString("no line"); t.Error("fails") } }`,
	"hides":   `func TestA(t *testing.T) { if run() == 1 { t.Error("fails") } }; func TestMain(m *testing.M) { if code := m.Run(); code != 0 { os.Exit(code) }; println("a check of its own"); if run() == 7 { os.Exit(1) } }`,
	"chance":  `func TestA(t *testing.T) { if run() == 1 { t.Error("[rapid] failed after 12 tests") } }`,
	"killed":  `func TestCrashOfIt(t *testing.T) { if run() == 1 { t.Error("fails") } }`,
	"many":    `func TestAll(t *testing.T) { for range 7 { t.Run("one", func(t *testing.T) { if run() < 8 { t.Error("fails") } }) } }`,
	"within2": `func TestWithin(t *testing.T) { if run() == 1 { t.Error("it ended: exit status 66; it wrote: =") } }`,
	"broken":  `func TestBroken(t *testing.T) { t.Nonsense() }`,
}

const three = `func TestA(t *testing.T) { if run() < 4 { t.Error("fails") } }; func TestB(t *testing.T) { TestA(t) }; func TestC(t *testing.T) { TestA(t) }`

const counted = `package counted

import ("os"; "testing")

func run() int {
	ran, _ := os.ReadFile("ran")
	_ = os.WriteFile("ran", append(ran, 'x'), 0o600)
	return len(ran) + 1
}

`

// A test that failed once under load has passed, and is named. Every other failure stays one.
func TestAgain(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skipf("no sh: %v", err)
	}
	script, err := filepath.Abs(filepath.Join(root, ".ci", "again.sh"))
	if err != nil {
		t.Fatal(err)
	}
	once := map[string]string{
		"first":       "example.org/first TestFirst\n",
		"three":       "example.org/three TestA\nexample.org/three TestB\nexample.org/three TestC\n",
		"first three": "", // four in all
		"first leaks": "", // one beside another failure
	}
	for name := range failing {
		if _, ok := once[name]; !ok {
			once[name] = ""
		}
	}
	dir := t.TempDir()
	for names, want := range once {
		t.Run(names, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(dir, names)
			write(t, filepath.Join(dir, "go.mod"), "module example.org\n\ngo 1.26\n")
			packages := strings.Fields(names)
			for i, name := range packages {
				write(t, filepath.Join(dir, name, "counted_test.go"), counted+failing[name])
				packages[i] = "./" + name
			}
			timeout := "1m"
			if names == "slow" {
				timeout = "1s"
			}
			log := filepath.Join(dir, "kept", "log")
			cmd := exec.CommandContext(t.Context(), "sh", append([]string{script, log, "go test -count=1 -vet=off -timeout " + timeout}, packages...)...) //nolint:gosec // of this tree
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
			said, err := cmd.CombinedOutput()
			if got := err == nil; got != (want != "") {
				t.Errorf("got passed %t (%v), want %t:\n%s", got, err, want != "", said)
			}
			if got, _ := os.ReadFile(log + ".once"); string(got) != strings.ReplaceAll(want, "example.org", "FAILED ONCE UNDER LOAD: example.org") {
				t.Errorf("got %q of what failed once, want %q", got, want)
			}
			if kept, err := os.ReadFile(log); err != nil || len(kept) == 0 || !bytes.HasPrefix(said, kept) {
				t.Errorf("got the log %q and %v, want the beginning of what was printed:\n%s", kept, err, said)
			}
		})
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
