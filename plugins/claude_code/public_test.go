package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// The records of the bundled example meet those that the public connector delivered of it (docs/rationale.md): an owner who has a
// device of each kind, or moves from one to the other, has each record once.
func TestRecordsMeetThePublicOnes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "examples", "claude_code"))); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 2, 16, 8, 0, 0, 0, time.UTC)
	err := filepath.WalkDir(dir, func(p string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(p, at, at)
	})
	if err != nil {
		t.Fatal(err)
	}
	r := checked(t, sdktest.Collect(t, connector{}, sdktest.Options{Roots: map[string]fs.FS{rootHome: os.DirFS(dir)}}))
	trial.MeetsPublic(t, manifest, filepath.Join("testdata", "public", "records.jsonl"), r, map[string]string{
		"coverage_diagnostics.reason": "of derived_messages and the like: theirs counts what one run has emitted",
	})
}
