package storage

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
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
		"TestSettings", "TestReadOnlyFolder.*", "TestReading.*", "TestLook.*", "TestDamagedFile", "TestDiskFull", "TestFull.*", "TestSalvage.*",
		"TestLock.*", "TestCloseDoesNotWaitForALock", // locks of files
		"TestErased.*", "TestCompact", "TestAMissingTable.*", "TestAStrange.*", // what is overwritten in the file, and its pages
		"TestCheckFinds", "TestEvidenceOfAnOlderStore", "TestRejectionsOfAnOlderStore", "TestArtifactsAreBounded", // SQL of SQLite in the test
		"TestInspectLane.*", "TestAHostHasNoOutbox", "TestCrash.*", "TestCopy.*", "TestSweep.*",
		"TestServer.*", // of PostgreSQL already
	)
}

// shortDir is a folder whose path leaves room for a socket's name, of 107 bytes at most.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "pdpp-") //nolint:usetesting // its path is too long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// FL-04: neither a file nor a server changes a text that it cannot hold, or takes part of
// it: it is refused.
func TestTextIsRefused(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, Options{Path: filepath.Join(t.TempDir(), "pdpp.sqlite")})
	for _, name := range []string{"a\x00b", "a\xffb"} {
		if _, err := s.EnsureConnection(t.Context(), name, "demo"); abi.CodeOf(err) != abi.CodeStoreText {
			t.Errorf("%q: got %v, want %s", name, err, abi.CodeStoreText)
		}
	}
	if all, err := s.Connections(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("got %v, %v, want no connection", all, err)
	}
}

// A setting that the server does not know is no server that cannot be reached.
func TestUnknownSettingIsTold(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, nil) + "&sslmod=disable"
	_, err := Open(t.Context(), Options{Path: dsn, Now: time.Now})
	if want := "it does not know a setting of the address"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}
