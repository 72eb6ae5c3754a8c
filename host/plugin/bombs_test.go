package plugin

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/testplugins/assembly/binary"
)

// Modules built to be slow or large to compile are refused before a worker is
// started for them.
func TestBombsAreNotCompiled(t *testing.T) {
	t.Parallel()
	const deep = 1000000
	nested := connector(nil)
	nested.funcs = append(nested.funcs, function{body: append(bytes.Repeat([]byte{3, 0x40}, deep), bytes.Repeat([]byte{0x0b}, deep)...)})
	table := binary.Section(4, binary.Vector(append([]byte{0x70, 0}, binary.Unsigned(1<<27-1)...)))
	whole := connector(nil).encode()
	memory := bytes.Index(whole, binary.Section(5, binary.Vector([]byte{0, 1})))
	if memory < 0 {
		t.Fatal("the module has no memory section to put a table before")
	}
	for name, module := range map[string][]byte{
		"nested": nested.encode(), "table": slices.Insert(whole, memory, table...),
	} {
		for _, o := range []Options{{WorkerCommand: []string{"/nowhere"}, CacheDir: t.TempDir()}, {Isolation: IsolationInline}} {
			_, err := load(t, o, FromBytes(name, module))
			wantCode(t, err, abi.CodePluginInvalid)
			if strings.Contains(err.Error(), "compiled") {
				t.Errorf(`%s was compiled: %v, want !strings.Contains(err.Error(), "compiled")`, name, err)
			}
		}
	}
}

// A module that could not be compiled is not compiled again for a day.
func TestFailedCompileIsRemembered(t *testing.T) {
	t.Parallel()
	file := connector(seq([]byte{0x6a}, drop)).file() // adds what is not there
	for _, mode := range []string{IsolationProcess, IsolationInline} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			o := Options{Isolation: mode, CacheDir: t.TempDir(), Limits: testLimits()}
			_, err := load(t, o, file)
			wantCode(t, err, abi.CodePluginInvalid, "cannot be compiled")
			names, _ := filepath.Glob(filepath.Join(o.CacheDir, file.SHA256+"-*", failureName))
			if len(names) != 1 {
				t.Fatalf("%d notes of the failure, want 1", len(names))
			}
			note, err := os.ReadFile(names[0])
			if err != nil {
				t.Fatal(err)
			}
			marked := bytes.Replace(note, []byte("cannot be compiled"), []byte("cannot be compiled, as noted"), 1)
			for _, c := range []struct {
				note  []byte
				age   time.Duration
				noted bool
			}{{marked, time.Hour, true}, {marked, 25 * time.Hour, false}, {marked, -25 * time.Hour, false}, {marked[:len(marked)/2], 0, false}} {
				then := time.Now().Add(-c.age)
				if err := os.WriteFile(names[0], c.note, 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chtimes(names[0], then, then); err != nil {
					t.Fatal(err)
				}
				_, err := load(t, o, file)
				wantCode(t, err, abi.CodePluginInvalid)
				if noted := strings.Contains(err.Error(), "as noted"); noted != c.noted {
					t.Errorf("a note of %d bytes, %s old: got %v, want the note taken: %v", len(c.note), c.age, err, c.noted)
				}
			}
		})
	}
}

// A worker that was lost while it compiled says nothing of the module: it is compiled
// again at once, and after a second loss in a few minutes. A caller that did not wait
// says nothing either.
func TestLostCompileIsTriedAgain(t *testing.T) {
	t.Parallel()
	for mode, code := range map[string]abi.Code{killed: abi.CodeWorkerLost, starved: abi.CodeLimitMemory, stuck: abi.CodeLimitTime} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			file := connector(nil).file()
			good := Options{CacheDir: t.TempDir(), Limits: testLimits()}
			bad := good
			bad.WorkerCommand = []string{os.Args[0], evilArgument, mode}
			lose := func() {
				t.Helper()
				ctx := t.Context()
				if mode == stuck {
					late, cancel := context.WithCancelCause(ctx)
					cancel(abi.NewError(abi.CodeLimitTime, "the run's time is over", ""))
					ctx = late
				}
				e, err := NewEngine(bad)
				if err != nil {
					t.Fatal(err)
				}
				defer e.Close() //nolint:errcheck // a test
				_, err = e.Load(ctx, file)
				wantCode(t, err, code)
				if strings.Contains(err.Error(), "rebuild") {
					t.Errorf(`%v blames the module, want !strings.Contains(err.Error(), "rebuild")`, err)
				}
			}
			lose()
			folder, _ := moduleCache(good.CacheDir, file.SHA256, "worker")
			if err := failedBefore(folder); err != nil {
				t.Fatalf("after one loss %v is remembered, want nothing", err)
			}
			lose()
			if mode != stuck {
				_, err := load(t, good, file)
				wantCode(t, err, code, "was not compiled")
				name := filepath.Join(folder, failureName)
				then := time.Now().Add(-11 * time.Minute)
				if err := os.Chtimes(name, then, then); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := load(t, good, file); err != nil {
				t.Errorf("a good worker: %v, want the module loaded", err)
			}
		})
	}
}

// The compiler's own limit of time counts like a lost worker.
func TestSlowCompileHoldsForMinutes(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for n, want := range []abi.Code{"", abi.CodeLimitTime} {
		wantCode(t, rememberFailure(folder, compileFailed(overtime(compileTime))), abi.CodeLimitTime, "longer than 2m0s")
		if err := failedBefore(folder); (err != nil) != (want != "") || err != nil && abi.CodeOf(err) != want {
			t.Errorf("after %d losses %v is remembered, want %q", n+1, err, want)
		}
	}
}
