package files

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Kind is what an entry of a folder is.
type Kind uint8

// The kinds.
const (
	File   Kind = iota
	Folder      // or a link to one, which is not followed
	Other       // a socket, a device, a link that leads nowhere or out of the root
)

// Entry is one entry of a folder. That of a link has what it leads to.
type Entry struct {
	Path  string // below the folder that was walked
	Kind  Kind
	Link  bool
	Stamp // of a file; a folder has a time of modification with Walk.Times
}

// Name returns the last part of the path.
func (e Entry) Name() string { return path.Base(e.Path) }

// Why is why a walk could not see something.
type Why uint8

// The reasons.
const (
	Unreadable Why = iota // a folder that could not be listed, an entry that could not be examined
	Strays                // a link that leads nowhere, or out of the root
	Deep                  // a folder below Walk.Depth
	Many                  // more entries than Walk.Most
	Linked                // a link to a folder, which is not followed: what was below its name may have moved there
)

// Fault is a place that a walk could not see.
type Fault struct {
	Path string
	Why  Why
}

// Walk is how a folder is walked. It follows links to files, and none to folders, which
// could lead in circles.
type Walk struct {
	// Depth is how many levels of folders are listed: 1 is the folder alone.
	Depth int
	// Most is how many entries are kept.
	Most int
	// Keep says which entries are kept, by path; nil: all. Only those are examined, and links,
	// which may lead to a folder.
	Keep func(path string, folder bool) bool
	// Pass says which folders are passed over; nil: none.
	Pass func(path string) bool
	// Times has each folder that is kept have its time of modification, which takes a look at it.
	Times bool
}

// Listing is what a walk found.
type Listing struct {
	Entries []Entry // each folder before what is in it, by name
	Faults  []Fault
	Absent  bool  // there is no such folder
	Bare    bool  // there is nothing in it
	Err     error // why the folder itself could not be listed
}

// List walks the folder dir of fsys.
func (w Walk) List(fsys fs.FS, dir string) *Listing {
	l := &Listing{}
	w.list(l, fsys, dir, "", 1)
	switch {
	case !errors.Is(l.Err, fs.ErrNotExist):
	case listed(fsys, dir):
		l.Faults = []Fault{{".", Strays}}
	default:
		l.Absent, l.Faults, l.Err = true, nil, nil
	}
	return l
}

// listed reports whether the folder above dir lists it: it is then a link that leads nowhere.
func listed(fsys fs.FS, dir string) bool {
	above, err := fs.ReadDir(fsys, path.Dir(dir))
	return err == nil && slices.ContainsFunc(above, func(d fs.DirEntry) bool {
		return d.Name() == path.Base(dir) && d.Type()&fs.ModeSymlink != 0
	})
}

func (w Walk) list(l *Listing, fsys fs.FS, dir, below string, depth int) {
	found, err := fs.ReadDir(fsys, path.Join(dir, below))
	if depth == 1 {
		l.Bare, l.Err = err == nil && len(found) == 0, err
	}
	if err != nil && (depth == 1 || !errors.Is(err, fs.ErrNotExist)) {
		l.fault(path.Join(".", below), Unreadable)
	}
	for _, d := range found {
		e := Entry{Path: path.Join(below, d.Name()), Kind: Other, Link: d.Type()&fs.ModeSymlink != 0}
		keep := w.Keep == nil || w.Keep(e.Path, d.IsDir())
		pass := w.Pass != nil && w.Pass(e.Path)
		if keep && len(l.Entries) == w.Most {
			l.fault(".", Many)
			return
		}
		if keep || e.Link && !pass && depth < w.Depth {
			l.look(fsys, dir, d, &e)
			if w.Times && keep && e.Kind == Folder {
				e.MTimeMS = modified(fsys, path.Join(dir, e.Path))
			}
		}
		if keep {
			l.Entries = append(l.Entries, e)
		}
		switch {
		case !d.IsDir() && e.Kind != Folder || pass:
		case depth == w.Depth:
			l.fault(e.Path, Deep)
		case e.Link:
			l.fault(e.Path, Linked)
		default:
			if w.list(l, fsys, dir, e.Path, depth+1); l.cut() {
				return
			}
		}
	}
}

// look finds out kind, size and time of an entry.
func (l *Listing) look(fsys fs.FS, dir string, d fs.DirEntry, e *Entry) {
	var info fs.FileInfo
	var err error
	switch {
	case d.IsDir():
		e.Kind = Folder
		return
	case e.Link:
		info, err = fs.Stat(fsys, path.Join(dir, e.Path))
	case d.Type().IsRegular():
		info, err = d.Info()
	default:
		return
	}
	switch {
	case err != nil && e.Link:
		l.fault(e.Path, Strays)
	case errors.Is(err, fs.ErrNotExist): // deleted since it was listed
	case err != nil:
		l.fault(e.Path, Unreadable)
	case info.IsDir():
		e.Kind = Folder
	case info.Mode().IsRegular():
		e.Kind, e.Stamp = File, StampOf(info)
	}
}

// modified returns when a folder was modified last, in Unix milliseconds; 0: that is not known.
func modified(fsys fs.FS, dir string) int64 {
	info, err := fs.Stat(fsys, dir)
	if err != nil {
		return 0
	}
	return info.ModTime().UnixMilli()
}

func (l *Listing) fault(at string, why Why) { l.Faults = append(l.Faults, Fault{at, why}) }

// cut reports whether the walk ended before its end.
func (l *Listing) cut() bool { return len(l.Faults) > 0 && l.Faults[len(l.Faults)-1].Why == Many }

// Whole reports whether the walk saw everything. Then a file that it lacks is gone. A link that
// leads nowhere, or to a folder, makes it false: Set.KeepIf with Hides keeps only the records
// that may be behind such a link.
func (l *Listing) Whole() bool { return len(l.Faults) == 0 }

// Listed reports whether the folder was listed, and everything seen but links that stray in it.
func (l *Listing) Listed() bool {
	return l.Err == nil && !slices.ContainsFunc(l.Faults, func(f Fault) bool { return f.Why != Strays })
}

// Hides reports whether the path may be there although the listing lacks it.
func (l *Listing) Hides(p string) bool {
	return slices.ContainsFunc(l.Faults, func(f Fault) bool {
		return f.Path == "." || p == f.Path || strings.HasPrefix(p, f.Path+"/")
	})
}

// Files returns the files of the listing, by path.
func (l *Listing) Files() []Entry {
	list := slices.DeleteFunc(slices.Clone(l.Entries), func(e Entry) bool { return e.Kind != File })
	slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// Read reads the first most bytes of a file.
func Read(fsys fs.FS, name string, most int64) ([]byte, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(file, most))
	_ = file.Close() // only read
	return b, err
}
