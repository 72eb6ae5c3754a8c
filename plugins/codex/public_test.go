package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// The records of the home in testdata/public meet those that the public connector delivered of it (docs/rationale.md): an owner who
// has a device of each kind, or moves from one to the other, has each record once.
func TestRecordsMeetThePublicOnes(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	from := filepath.Join("testdata", "public", "home")
	if err := os.CopyFS(h.dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 16, 8, 0, 0, 0, time.UTC)
	err := filepath.WalkDir(h.dir, func(p string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(p, at, at)
	})
	if err != nil {
		t.Fatal(err)
	}
	trial.MeetsPublic(t, manifest, filepath.Join("testdata", "public", "records.jsonl"), h.collect(), map[string]string{
		"coverage_diagnostics.reason": "of derived_messages and the like: theirs counts what one run has emitted",
	})
}
