package books

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/rootfs"
)

// Bounds on a report. MaxNames is that of AC-01.
const (
	MaxNames     = 1000
	maxNameBytes = 256 << 10 // of all names together
	maxKinds     = 64        // files whose kind is looked at
	maxWalked    = 2_000_000
	maxDepth     = 64
	listEach     = 512 // entries of a listing at a time
)

// Report is what the books say at the end of a run.
type Report struct {
	Roots []RootCounts `json:"roots,omitempty"`
	// Unread are files that nothing explains, at most MaxNames; the counts have them all.
	Unread []Unread `json:"unread,omitempty"`
	// Amiss are files that the guest says are damaged, or known and not read: MaxNames of them.
	Amiss []Amiss `json:"amiss,omitempty"`
	// Settled are the reasons all of whose files a rule covers, and Open those that files have
	// which Amiss does not name.
	Settled []string `json:"settled,omitempty"`
	Open    []string `json:"open,omitempty"`
	// Said are the first files that the guest says it has read.
	Said []Said `json:"said,omitempty"`
	// Bounded: there are more files than a walk looks at.
	Bounded bool `json:"bounded,omitempty"`
	// Begun is when the run began, in milliseconds since 1970.
	Begun int64 `json:"begun"`
}

// Unread is a file that nothing explains. Kind is one of Kinds, "" where it was not looked at.
type Unread struct {
	File

	Kind string `json:"kind,omitempty"`
}

// Amiss is a file that is damaged, or that is known and was not read. As is abi.FileDamaged or
// abi.FileKnown, and Reason is the guest's.
type Amiss struct {
	File

	As     string `json:"as"`
	Reason string `json:"reason,omitempty"`
}

func (x *Amiss) compare(y *Amiss) int {
	return cmp.Or(cmp.Compare(x.Root, y.Root), cmp.Compare(x.Path, y.Path), cmp.Compare(x.Reason, y.Reason))
}

// Close walks the folders and says what became of each file. It is called once, when the
// guest has ended.
func (b *Books) Close(roots map[string]*os.Root) *Report {
	w := &walk{books: b, left: maxWalked, report: &Report{Begun: b.begun.UnixMilli()}}
	for _, c := range b.roots {
		if root := roots[c.Name]; root != nil {
			w.root, w.counts = root, c
			w.folder(".", 0)
		}
		w.report.Roots = append(w.report.Roots, *c)
	}
	b.amiss.report(w.report, func(f File) bool { return roots[f.Root] != nil && isFile(roots[f.Root], f.Path) }, func(f File) bool { return w.ruled(f.Path) })
	w.report.Said = b.said.list()
	slices.SortFunc(w.report.Roots, func(x, y RootCounts) int { return cmp.Compare(x.Name, y.Name) })
	slices.SortFunc(w.report.Unread, func(x, y Unread) int { return cmp.Or(cmp.Compare(x.Root, y.Root), cmp.Compare(x.Path, y.Path)) })
	return w.report
}

func isFile(root *os.Root, name string) bool {
	info, err := root.Lstat(name)
	return err == nil && info.Mode().IsRegular()
}

type walk struct {
	books     *Books
	report    *Report
	root      *os.Root
	counts    *RootCounts
	left      int
	nameBytes int
	kinds     int
}

func (w *walk) folder(dir string, depth int) {
	if w.ruled(dir + "/") {
		return
	}
	f, err := w.root.Open(dir)
	if err != nil || depth > maxDepth {
		w.unexplained(dir, KindUnlisted)
		return
	}
	defer func() { _ = f.Close() }()
	for {
		entries, err := f.ReadDir(listEach)
		for _, e := range entries {
			if w.left--; w.left < 0 {
				w.report.Bounded = true
				return
			}
			w.entry(path.Join(dir, rootfs.Spell(e.Name())), e, depth)
		}
		if len(entries) == 0 || err != nil {
			return
		}
	}
}

// entry judges a file, or walks a folder. A link is passed over: what it leads to is judged
// where it is.
func (w *walk) entry(name string, e fs.DirEntry, depth int) {
	switch {
	case e.IsDir():
		w.folder(name, depth+1)
	case e.Type().IsRegular():
		w.counts.There++
		w.judge(name, e)
	}
}

func (w *walk) judge(name string, e fs.DirEntry) {
	b := w.books
	h := hash(b.seed, w.counts.Name, name)
	switch {
	case w.ruled(name):
		w.counts.Rule++
	case b.unknown[h]:
		w.unexplained(name, "")
	case b.explained.has(h):
		if !b.claims {
			w.counts.Read++
		}
	case w.arrived(e):
		w.counts.New++
	case !b.claims && w.asBefore(name, e):
		w.counts.Read++
	default:
		w.unexplained(name, "")
	}
}

// ruled reports whether a rule says that the file, or everything in the folder, is not for
// the connector.
func (w *walk) ruled(name string) bool {
	if litter(path.Base(name)) {
		return true
	}
	if folder, is := cutSlash(name); is {
		name = path.Join(folder, "any") // a rule for the folder covers whatever is in it
		return slices.ContainsFunc(w.books.rule.Ignores, func(r abi.Ignore) bool { return r.Pattern[len(r.Pattern)-1] == '/' && manifest.Covers(r, name) })
	}
	return slices.ContainsFunc(w.books.rule.Ignores, func(r abi.Ignore) bool { return manifest.Covers(r, name) })
}

func cutSlash(name string) (folder string, is bool) {
	if n := len(name); n > 0 && name[n-1] == '/' {
		return name[:n-1], true
	}
	return name, false
}

// litter reports whether systems leave files of that name in any folder, without content of
// its owner's.
func litter(base string) bool {
	switch base {
	case ".DS_Store", ".localized", "Thumbs.db", "desktop.ini", ".directory":
		return true
	}
	return len(base) > 2 && base[:2] == "._"
}

// arrived reports whether the file appeared or changed since the run began: the guest may
// not have seen it.
func (w *walk) arrived(e fs.DirEntry) bool {
	info, err := e.Info()
	return err == nil && !changedAt(info).Before(w.books.begun)
}

// asBefore reports whether the file has not changed since a run whose books were whole, and
// was explained then.
func (w *walk) asBefore(name string, e fs.DirEntry) bool {
	b := w.books
	if b.rule.Since == 0 || b.earlier[File{w.counts.Name, name}] {
		return false
	}
	info, err := e.Info()
	return err == nil && changedAt(info).UnixMilli() < b.rule.Since
}

func (w *walk) unexplained(name, kind string) {
	w.counts.Unexplained++
	if len(w.report.Unread) >= MaxNames || w.nameBytes+len(name) > maxNameBytes {
		return
	}
	w.nameBytes += len(name)
	if kind == "" && w.kinds < maxKinds {
		w.kinds++
		kind = kindOf(w.root, name)
	}
	w.report.Unread = append(w.report.Unread, Unread{File{w.counts.Name, name}, kind})
}
