package dev

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settle is how long a folder has to be left alone before a change counts: editors write a
// file in several steps.
const settle = 150 * time.Millisecond

// Watch calls fn at once and then whenever something below one of the folders has changed,
// until ctx ends or fn fails. A change while fn works calls it again.
func Watch(ctx context.Context, folders []string, fn func() error) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer func() { _ = w.Close() }()
	for _, dir := range folders {
		if err := add(w, dir); err != nil {
			return err
		}
	}
	due := time.NewTimer(0)
	defer due.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-w.Errors:
			return err
		case e := <-w.Events:
			if hidden(e.Name) || e.Op == fsnotify.Chmod {
				continue
			}
			if e.Has(fsnotify.Create) {
				if info, err := os.Stat(e.Name); err == nil && info.IsDir() {
					_ = add(w, e.Name) // one that is gone again is not watched
				}
			}
			due.Reset(settle)
		case <-due.C:
			if err := fn(); err != nil {
				return err
			}
		}
	}
}

// add watches a folder and those below it.
func add(w *fsnotify.Watcher, dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && path != dir:
			return nil
		case err != nil:
			return err
		case !e.IsDir():
			return nil
		case path != dir && hidden(path):
			return fs.SkipDir
		}
		return w.Add(path)
	})
}

// hidden reports whether a change of path is nobody's: what rounds write, version control, a
// built module, and what editors leave for a moment.
func hidden(path string) bool {
	name := filepath.Base(path)
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".wasm") || strings.HasSuffix(name, "~") || name == "4913" // vim probes with it
}
