package db

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// A compaction empties the log also if something else folds it at that moment, for which SQLite does not wait.
func TestACompactionWaitsForAnotherFold(t *testing.T) {
	t.Parallel()
	d := opened(t)
	write := func(sql string) {
		t.Helper()
		err := d.Alone(t.Context(), "write", func(t *Tx) error { _, err := t.DB.ExecContext(t.Ctx, sql); return err })
		if err != nil {
			t.Fatal(err)
		}
	}
	write("CREATE TABLE large (b)")
	write("INSERT INTO large SELECT randomblob(10000) FROM json_each('[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]')")
	write("DROP TABLE large")
	if err := d.FoldLog(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := numbers(t, d, "PRAGMA page_count")[0]
	shared, err := os.OpenFile(d.Path+"-shm", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shared.Close() })
	checkpoint := func(kind int16) {
		t.Helper()
		lock := unix.Flock_t{Type: kind, Start: 121, Len: 1} // the byte whose lock a checkpoint has (SQLite's walformat)
		if err := unix.FcntlFlock(shared.Fd(), unix.F_OFD_SETLK, &lock); err != nil {
			t.Fatal(err)
		}
	}
	checkpoint(unix.F_WRLCK)
	done := make(chan error, 1)
	go func() { done <- d.Vacuum(t.Context()) }()
	for numbers(t, d, "PRAGMA page_count")[0] == before { // until the file is written anew, in the log
		select {
		case err := <-done:
			t.Fatalf("the compaction ended without a file that is smaller: %v", err)
		default:
		}
	}
	checkpoint(unix.F_UNLCK)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if file, log := d.Size(t.Context()); log != 0 || file >= before*pageSize {
		t.Errorf("got a file of %d bytes and a log of %d after a compaction, want less than %d and 0", file, log, before*pageSize)
	}
}
