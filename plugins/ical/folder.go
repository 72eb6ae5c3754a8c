package main

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Bounds on the folder.
const (
	maxFolderDepth = 8
	maxFiles       = 20000
)

// found is one .ics file.
type found struct {
	path          string
	size, mtimeMS int64
}

// listing lists the files of the folder.
type listing struct {
	files   []found
	failed  []string // folders and files that could not be looked at
	tooMany bool
	bare    bool // nothing at all is in the folder
}

// list walks the folder. err is set when the folder itself cannot be read: a missing
// file then proves nothing.
func list(root fs.FS) (*listing, error) {
	l := &listing{}
	if err := l.folder(root, ".", 0); err != nil {
		return nil, err
	}
	slices.SortFunc(l.files, func(a, b found) int { return strings.Compare(a.path, b.path) })
	return l, nil
}

func (l *listing) folder(root fs.FS, dir string, depth int) error {
	entries, err := fs.ReadDir(root, dir)
	if err != nil {
		return err
	}
	if depth == 0 {
		l.bare = len(entries) == 0
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if strings.HasPrefix(e.Name(), ".") {
			continue // editors' and sync tools' own
		}
		if e.IsDir() {
			if depth+1 >= maxFolderDepth {
				l.failed = append(l.failed, name)
			} else if l.folder(root, name, depth+1) != nil {
				l.failed = append(l.failed, name)
			}
			continue
		}
		if !strings.EqualFold(path.Ext(name), ".ics") {
			continue
		}
		if len(l.files) == maxFiles {
			l.tooMany = true
			return nil
		}
		// Not e.Info: the target of a link counts.
		info, err := fs.Stat(root, name)
		switch {
		case err != nil:
			l.failed = append(l.failed, name)
		case info.Mode().IsRegular():
			l.files = append(l.files, found{name, info.Size(), info.ModTime().UnixMilli()})
		}
	}
	return nil
}

// hides reports whether p may still exist although the listing lacks it.
func (l *listing) hides(p string) bool {
	if l.tooMany {
		return true
	}
	for _, f := range l.failed {
		if p == f || strings.HasPrefix(p, f+"/") {
			return true
		}
	}
	return false
}
