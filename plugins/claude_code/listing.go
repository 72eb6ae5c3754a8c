package main

import (
	"io/fs"
	"path"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/files"
)

// folder is a place below a granted root.
type folder struct {
	fsys fs.FS
	root string // that it is granted as
	base string // in fsys
	name string // below the home folder, as records show it
}

// path returns the path in fsys of a file of the folder.
func (f folder) path(rel string) string { return path.Join(f.base, rel) }

// shown is the path of a file of the folder below the home folder.
func (f folder) shown(rel string) string { return path.Join(f.name, rel) }

// sub is a folder of the folder.
func (f folder) sub(rel string) folder {
	return folder{f.fsys, f.root, path.Join(f.base, rel), path.Join(f.name, rel)}
}

// Bounds of a walk. A folder that is listed without those in it has no bound.
const (
	maxWalkDepth   = 8
	maxWalkEntries = 10_000
	noBound        = 1 << 30
)

// list lists a folder, but none of those in it.
func (c *collection) list(f folder) *files.Listing {
	return c.noted(f, files.Walk{Depth: 1, Most: noBound, Pass: func(string) bool { return true }}.List(f.fsys, f.base))
}

// walk lists everything below a folder.
func (c *collection) walk(f folder) *files.Listing {
	return c.walkSome(f, maxWalkDepth, func(string) bool { return true })
}

// walkSome lists the entries below a folder that are wanted.
func (c *collection) walkSome(f folder, depth int, wanted func(path string) bool) *files.Listing {
	return c.noted(f, files.Walk{
		Depth: depth, Most: maxWalkEntries,
		Keep: func(p string, _ bool) bool { return wanted(p) }, Pass: func(p string) bool { return !wanted(p) },
	}.List(f.fsys, f.base))
}

// noted notes what a walk could not see. A folder in one that could not be listed is no news.
func (c *collection) noted(f folder, l *files.Listing) *files.Listing {
	for _, fault := range l.Faults {
		at := f.shown(fault.Path)
		switch fault.Why {
		case files.Strays:
			c.note(linkNotFollowed, at)
			c.books.Known(f.root, f.path(fault.Path), linkNotFollowed.Reason)
		case files.Linked: // what it leads to is accounted for where that is
			c.note(linkNotFollowed, at)
		case files.Deep:
			c.note(tooDeep, at)
		case files.Many:
			c.note(tooMany, at)
		case files.Unreadable:
			known := false
			for _, b := range c.barred {
				known = known || b.root == f.root && (at == b.name || strings.HasPrefix(at, b.name+"/"))
			}
			if !known {
				c.barred = append(c.barred, folder{root: f.root, name: at})
				c.note(unreadable, at)
			}
		}
	}
	return l
}

// isMarkdown reports whether a file name belongs to a note or command.
func isMarkdown(e files.Entry) bool {
	return e.Kind == files.File && strings.EqualFold(path.Ext(e.Path), ".md")
}
