package contract

import (
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

// A run without a record keeps no promise about records: each such clause is skipped,
// with a reason. The report lists everything that the run could not collect.
func TestNoRecordsJudgeNothingOfRecords(t *testing.T) {
	t.Parallel()
	r := check(t, Options{File: scripted(t), Roots: folder(t), Options: map[string]string{
		"script": `skip {"type":"SKIP_RESULT","stream":"notes","reason":"file_unreadable","message":"1 file"}` + "\n" + state("journal") + "finish",
	}})
	for _, id := range ofRecords {
		if c := r.Clause(id); c.Outcome != Skip || !strings.Contains(c.Detail, "no record was delivered") && !strings.Contains(c.Detail, "isolation mode") {
			t.Errorf("%+v, want it skipped for lack of a record", c)
		}
	}
	for _, c := range r.Clauses {
		if c.Outcome == Fail || strings.HasPrefix(c.ID, "collect.") && c.Outcome != Pass && !slices.Contains(ofRecords, c.ID) {
			t.Errorf("%+v, want pass, or skip for a clause about records", c)
		}
	}
	// The guest reads none of the folder's files, which the host tells by itself.
	r.Gaps = slices.DeleteFunc(r.Gaps, func(g run.KnownGap) bool { return g.Kind == "unexplained_input" })
	if r.Records != 0 || len(r.Gaps) != 1 || r.Gaps[0].Reason != "file_unreadable" || !slices.Equal(r.Bindings, []string{abi.BindingFilesystem, abi.BindingInteractive, abi.BindingNetwork}) {
		t.Errorf("%d records, gaps %+v, bindings %v, want 0, the unreadable file, and three bindings", r.Records, r.Gaps, r.Bindings)
	}
}

// A connector accounts for an empty source in its own records, which are not the
// owner's data: no clause about records is judged by them.
func TestDiagnosticsAreNoRecords(t *testing.T) {
	t.Parallel()
	r := check(t, Options{File: rig.Guest(t, "plugins/calendar_files")})
	if r.Records != 0 || len(r.Failed()) != 0 {
		t.Errorf("%d records, failed %+v, want 0 and none", r.Records, r.Failed())
	}
	for _, id := range []string{"collect.records", "resume.quiet", "scope.streams"} {
		if c := r.Clause(id); c.Outcome != Skip {
			t.Errorf("%s: %s (%s), want skip", id, c.Outcome, c.Detail)
		}
	}
}

// A folder for a root that the connector does not have is the operator's slip, as
// it is one of a run; so is one for a connector that reads none.
func TestRootsAreTheConnectors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		o    Options
		says string
	}{
		"another's":  {Options{File: scripted(t), Roots: map[string]string{"notes": t.TempDir()}}, `no root "notes"`},
		"no folders": {Options{File: handmade(manifestText, nil)(t), Roots: map[string]string{"handmade": t.TempDir()}}, "reads no folders"},
		"another's, without a network": {Options{
			File:  handmade(strings.Replace(manifestText, `"streams"`, `"runtime_requirements":{"bindings":{"network":{"required":true}}},"streams"`, 1), nil)(t),
			Roots: map[string]string{"handmade": t.TempDir()},
		}, "reads no folders"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.o.Engine, c.o.Dir = rig.Engine(t, plugin.IsolationInline, limits()), t.TempDir()
			r, err := Check(t.Context(), c.o)
			if abi.CodeOf(err) != abi.CodeRootInvalid || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, %+v, want abi.CodeOf(err) = %v and %v in err.Error()", err, r, abi.CodeRootInvalid, c.says)
			}
		})
	}
}
