package main

import (
	"errors"
	"io/fs"
	"path"
	"strings"
)

// folder is a place below a granted root.
type folder struct {
	fsys fs.FS
	base string // in fsys
	name string // below the home folder, as records show it
}

func join(base, name string) string {
	switch {
	case base == "." || base == "":
		return name
	case name == "." || name == "":
		return base
	}
	return base + "/" + name
}

// path returns the path in fsys of a file of the folder.
func (f folder) path(rel string) string { return join(f.base, rel) }

// shown is the path of a file of the folder below the home folder.
func (f folder) shown(rel string) string { return join(f.name, rel) }

// sub is a folder of the folder.
func (f folder) sub(rel string) folder {
	return folder{f.fsys, join(f.base, rel), join(f.name, rel)}
}

// listed is the result of listing a folder.
type listed uint8

const (
	listedWhole  listed = iota
	listedAbsent        // it is not there
	listedPart          // not listed, or not to its end: missing entries may exist
)

// entry is one thing in a folder, links followed.
type entry struct {
	name  string
	kind  entryKind
	link  bool
	size  int64
	mtime int64 // Unix milliseconds
}

type entryKind uint8

const (
	kindFile entryKind = iota
	kindFolder
	kindOther // a socket, a device, a link to nowhere or out of the root
)

// list lists a folder, by name. An entry that could not be examined is noted and of
// kindOther; a link has the kind of its target.
func (c *collection) list(f folder) ([]entry, listed) {
	found, err := fs.ReadDir(f.fsys, f.path("."))
	state := listedWhole
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, listedAbsent
	case err != nil:
		state = listedPart
		c.unlisted(f)
	}
	entries := make([]entry, 0, len(found))
	for _, d := range found {
		e := entry{name: d.Name(), kind: kindOther, link: d.Type()&fs.ModeSymlink != 0}
		if e.link || d.Type().IsRegular() || d.IsDir() {
			c.look(f, d, &e)
		}
		entries = append(entries, e)
	}
	return entries, state
}

// unlisted notes a folder that could not be listed: only the outermost one, and only
// once, however many folders in it are requested.
func (c *collection) unlisted(f folder) {
	for path.Dir(f.base) != f.base && path.Dir(f.base) != "." {
		outer := folder{f.fsys, path.Dir(f.base), path.Dir(f.name)}
		if _, err := fs.ReadDir(outer.fsys, outer.base); err == nil {
			break
		}
		f = outer
	}
	at := f.shown(".")
	if c.barred[at] {
		return
	}
	if c.barred == nil {
		c.barred = map[string]bool{}
	}
	c.barred[at] = true
	c.problems.note(problemUnreadable, at)
}

// look finds out kind, size and time of an entry.
func (c *collection) look(f folder, d fs.DirEntry, e *entry) {
	if d.IsDir() {
		e.kind = kindFolder
		return
	}
	var info fs.FileInfo
	var err error
	if e.link {
		info, err = fs.Stat(f.fsys, f.path(e.name))
	} else {
		info, err = d.Info()
	}
	switch {
	case err != nil && e.link:
		c.problems.note(problemLink, f.shown(e.name))
	case errors.Is(err, fs.ErrNotExist): // deleted since it was listed
	case err != nil:
		c.problems.note(problemUnreadable, f.shown(e.name))
	case info.IsDir():
		e.kind = kindFolder
	case info.Mode().IsRegular():
		e.kind, e.size, e.mtime = kindFile, info.Size(), info.ModTime().UnixMilli()
	}
}

// Bounds of a walk.
const (
	maxWalkDepth   = 8
	maxWalkEntries = 10_000
)

// walk calls visit for each entry below f, by path, and reports whether all of it could
// be listed. It does not follow links to folders, which could lead in circles. An error
// of visit ends the walk.
func (c *collection) walk(f folder, visit func(rel string, e entry) error) (listed, error) {
	left := maxWalkEntries
	type level struct {
		rel     string
		entries []entry
	}
	top, first := c.list(f)
	if first == listedAbsent {
		return first, nil
	}
	state := first
	stack := []level{{".", top}}
	for len(stack) > 0 {
		l := &stack[len(stack)-1]
		if len(l.entries) == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		e := l.entries[0]
		l.entries = l.entries[1:]
		rel := join(l.rel, e.name)
		if left--; left < 0 {
			c.problems.note(problemTooMany, f.shown("."))
			return listedPart, nil
		}
		if err := visit(rel, e); err != nil {
			return listedPart, err
		}
		switch {
		case e.kind != kindFolder:
		case e.link:
			c.problems.note(problemLink, f.shown(rel))
		case len(stack) >= maxWalkDepth:
			c.problems.note(problemTooMany, f.shown(rel))
			state = listedPart
		default:
			below, how := c.list(f.sub(rel))
			if how == listedPart {
				state = listedPart
			}
			stack = append(stack, level{rel, below})
		}
	}
	return state, nil
}

// isMarkdown reports whether a file name belongs to a note or command.
func isMarkdown(name string) bool { return strings.EqualFold(path.Ext(name), ".md") }
