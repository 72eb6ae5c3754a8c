package main

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk"
)

// Bounds on the folders.
const (
	maxRollouts = 50000
	maxDepth    = 6
)

// rolloutFile is one rollout as the folder lists it.
type rolloutFile struct {
	path          string // below the home folder, as records show it
	root          fs.FS
	name          string // below root
	size, mtimeMS int64
}

// listing is every rollout, in order of path.
type listing struct {
	files   []rolloutFile
	failed  []string
	strange int64 // files in between that are no rollouts
	tooMany bool
	missing bool // there is no sessions folder
}

// list finds the rollouts. A folder granted as root "sessions" replaces the one below
// the home folder.
func list(h *sdk.Host, home fs.FS) *listing {
	l := &listing{}
	if sessions, ok := h.Root("sessions"); ok {
		l.folder(sessions, ".", "sessions", 0)
	} else {
		l.folder(home, "sessions", "sessions", 0)
	}
	l.missing = len(l.failed) == 0 && len(l.files) == 0 && !exists(home, "sessions")
	if exists(home, "archived_sessions") {
		l.folder(home, "archived_sessions", "archived_sessions", 0)
	}
	slices.SortFunc(l.files, func(a, b rolloutFile) int { return strings.Compare(a.path, b.path) })
	return l
}

func exists(root fs.FS, name string) bool {
	_, err := fs.Stat(root, name)
	return err == nil
}

func (l *listing) folder(root fs.FS, name, shown string, depth int) {
	entries, err := fs.ReadDir(root, name)
	if err != nil {
		if depth > 0 || exists(root, name) {
			l.failed = append(l.failed, shown)
		}
		return
	}
	for _, e := range entries {
		inner, innerShown := path.Join(name, e.Name()), path.Join(shown, e.Name())
		switch {
		case e.IsDir() && depth < maxDepth:
			l.folder(root, inner, innerShown, depth+1)
		case !strings.HasPrefix(e.Name(), "rollout-") || path.Ext(e.Name()) != ".jsonl" || e.IsDir():
			l.strange++
		case len(l.files) == maxRollouts:
			l.tooMany = true
		default:
			info, err := fs.Stat(root, inner)
			if err != nil || !info.Mode().IsRegular() {
				l.failed = append(l.failed, innerShown)
				continue
			}
			l.files = append(l.files, rolloutFile{innerShown, root, inner, info.Size(), info.ModTime().UnixMilli()})
		}
	}
}

// sessionFromName returns the session id in rollout-TIME-UUID.jsonl, or the rest of the
// name when it has another form.
func sessionFromName(p string) string {
	name := strings.TrimSuffix(strings.TrimPrefix(path.Base(p), "rollout-"), ".jsonl")
	const uuid = 36
	if len(name) > uuid && name[len(name)-uuid-1] == '-' && strings.Count(name[len(name)-uuid:], "-") == 4 {
		return name[len(name)-uuid:]
	}
	if name == "" {
		name = "rollout" // an id is never empty
	}
	return clipped(name, maxID)
}
