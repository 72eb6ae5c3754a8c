package storage

import (
	"path/filepath"
	"testing"
)

// A look that is not deep reads neither records nor history nor the index, so that it takes as long however
// many there are: it is made where those tables are gone.
func TestLookReadsNoRecords(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pdpp.sqlite")
	x := &exercise{T: t, s: opened(t, path)}
	w := x.begin("c")
	x.put(w, 0, `a={"id":"a"}`, `b={"id":"b"}`)
	x.finish(w)
	for _, table := range []string{"records", "events", "coverage", "gaps", "rejected_records", "erasures", "marks", "met", "read_rows", "read_order", "read_days", "read_changes", "device_batches"} {
		rawSQL(t, path, "PRAGMA legacy_alter_table = 1; ALTER TABLE "+table+" RENAME TO gone_"+table)
	}
	report, err := x.s.Look(t.Context())
	if err != nil || len(report.Problems) > 0 || report.Records != 2 {
		t.Errorf("got %+v, %v, want no problem and 2 records", report, err)
	}
	if stats, err := x.s.Stats(t.Context()); err != nil || stats.Records != 2 || stats.FileBytes == 0 {
		t.Errorf("got %+v, %v, want the size, and 2 records", stats, err)
	}
	if _, err := x.s.Position(t.Context()); err != nil {
		t.Errorf("the position of the index: got %v, want no error", err)
	}
	if report, err := x.s.Check(t.Context()); err == nil && len(report.Problems) == 0 {
		t.Error("a deep look: got no problem, want one, since it reads them")
	}
}

// A look that is not deep tells of the rows that it reads.
func TestLookFinds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pdpp.sqlite")
	x := &exercise{T: t, s: opened(t, path)}
	w := x.begin("c")
	x.put(w, 0, `a={"id":"a"}`)
	x.finish(w)
	rawSQL(t, path, "UPDATE streams SET live = -1 WHERE name = 'a'", "UPDATE leases SET run_id = 'run_gone'")
	report, err := x.s.Look(t.Context())
	if err != nil || len(report.Problems) != 2 {
		t.Errorf("got %+v, %v, want the count below 0 and the lease of no run", report, err)
	}
}
