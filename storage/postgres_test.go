package storage

import (
	"context"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

func migrated(dsn string) error {
	s, err := Open(context.Background(), Options{Path: dsn, Now: time.Now})
	if err != nil {
		return err
	}
	return s.Close()
}

// TestPostgres runs the tests of this package once more on PostgreSQL (FL-01): whatever a
// test keeps in a file is in a database then. Left out is what a file alone has.
func TestPostgres(t *testing.T) {
	t.Parallel()
	pgtest.Again(t,
		"TestOpenModes", "TestOpenRefuses.*", "TestOpenReadOnlyFile", "TestOpenTogether", "TestOpenLocked", "TestOwner.*", // the file itself
		"TestSettings", "TestReadOnlyFolder.*", "TestDamagedFile", "TestDiskFull", "TestFull.*", "TestSalvage.*",
		"TestLock.*", "TestCloseDoesNotWaitForALock", // locks of files
		"TestErased.*", "TestCompact", // what is overwritten in the file, and its pages
		"TestCheckFinds", "TestEvidenceOfAnOlderStore", "TestRejectionsOfAnOlderStore", "TestArtifactsAreBounded", // SQL of SQLite in the test
		"TestInspectLane.*", "TestAHostHasNoOutbox", "TestCrash.*", "TestSweep.*",
	)
}
