package contract

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

// noCredentials are the clauses that a connector without credentials skips, and uncounting those
// that one skips which does not account for its items either.
var (
	noCredentials = []string{"credentials.named", "credentials.asked"}
	uncounting    = append([]string{"collect.items", "collect.names", "collect.files"}, noCredentials...)
)

// AC-04, AC-05: a connector whose items add up keeps the clauses on items.
func TestItemsAddUp(t *testing.T) {
	t.Parallel()
	r := check(t, Options{
		File: scripted(t), Roots: folder(t), Items: map[string]int64{"notes": 7},
		Options: map[string]string{"script": accounting(`"met":7,"emitted":4,"duplicate":1,"kept_back":1,"not_record":1,"cut":1`) + honest()},
	})
	wantAll(t, r, append([]string{"isolation.same", "collect.files"}, noCredentials...)...)
}

// A number of items for a stream that there is not is its author's slip, and no clause.
func TestItemsOfNoStream(t *testing.T) {
	t.Parallel()
	o := Options{File: scripted(t), Engine: rig.Engine(t, plugin.IsolationInline, limits()), Dir: t.TempDir(), Items: map[string]int64{"ghosts": 1}}
	if r, err := Check(t.Context(), o); abi.CodeOf(err) != abi.CodeUsage || !strings.Contains(err.Error(), "ghosts") {
		t.Errorf("got %+v, %v, want %s about ghosts", r, err, abi.CodeUsage)
	}
}

func TestScriptedKeepsEveryClause(t *testing.T) {
	t.Parallel()
	r := check(t, Options{
		File: scripted(t), Roots: folder(t), Options: map[string]string{"script": honest()},
		Second: rig.Engine(t, plugin.IsolationProcess, limits()),
	})
	wantAll(t, r, uncounting...)
	if r.Records != 6 || r.Kind != plugin.KindRaw || len(r.Failed()) > 0 {
		t.Errorf("%d records, %s, %v, want Records = 6, Kind = %s and len(r.Failed()) = 0", r.Records, r.Kind, r.Failed(), plugin.KindRaw)
	}
	// It breaks nothing, and its owner would never see it as healthy.
	if len(r.Warnings) != 2 || !strings.Contains(r.Warnings[0], "options is missing") || !strings.Contains(r.Warnings[1], "maximum_staleness_seconds") {
		t.Errorf("warnings are %q, want one of options and one of maximum_staleness_seconds", r.Warnings)
	}
}

// A connector that enumerates emits every record in each run, and is quiet if none changes.
func TestEnumeratingKeepsEveryClause(t *testing.T) {
	t.Parallel()
	r := check(t, Options{
		File: scripted(t), Roots: folder(t), Options: map[string]string{"script": enumerating + firstPapers + state("notes") + state("journal") + "finish"},
		Second: rig.Engine(t, plugin.IsolationProcess, limits()),
	})
	wantAll(t, r, uncounting...)
}

func TestAssemblyScriptKeepsTheContract(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{plugin.KindRaw, plugin.KindExtism} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			f, err := plugin.Open(filepath.Join("..", "assemblyscript", kind+plugin.Extension), 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			r := check(t, Options{File: f, Second: rig.Engine(t, plugin.IsolationProcess, limits())})
			if failed := r.Failed(); len(failed) != 0 || r.Kind != kind || r.Records == 0 {
				t.Errorf("%s: %d records, %+v, want len(failed) = 0, Kind = %s and Records not 0", r.Kind, r.Records, failed, kind)
			}
		})
	}
}

// A connector of the SDK keeps the contract, with and without credentials.
// RT-08.1, RT-08.2.
func TestSDKKeepsTheContract(t *testing.T) {
	t.Parallel()
	r := check(t, Options{File: rig.Guest(t, "testplugins/guests/credentialed")})
	wantAll(t, r, "collect.empty", "collect.items", "collect.names", "collect.files", "scope.streams", "scope.time_range", "isolation.same")
}

// The suite on a real connector over real files takes seconds.
func TestClaudeCodeKeepsTheContract(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "examples", "claude_code")
	if _, err := os.Stat(root); err != nil {
		t.Skip("there is no example folder")
	}
	file := rig.Guest(t, "plugins/claude_code")
	began := time.Now()
	r := check(t, Options{
		File: file, Roots: map[string]string{"claude_code": root},
		Engine: rig.Engine(t, plugin.IsolationProcess, limits()), Second: rig.Engine(t, plugin.IsolationInline, limits()),
	})
	wantAll(t, r, noCredentials...)
	t.Logf("%d records, %v", r.Records, time.Since(began))
}
