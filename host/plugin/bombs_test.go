package plugin

import (
	"bytes"
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
				t.Errorf("%s was compiled: %v", name, err)
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
