package books

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

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
	// Settled are the reasons all of whose files the owner's patterns cover, and Open those that files have
	// which Amiss does not name.
	Settled []string `json:"settled,omitempty"`
	Open    []string `json:"open,omitempty"`
	// Said are the first files that the guest says it has read.
	Said []Said `json:"said,omitempty"`
	// Over are the owner's words on files that have changed since.
	Over []manifest.Word `json:"over,omitempty"`
	// Holders are archives with entries that nothing explains, at most MaxNames.
	Holders []manifest.FileState `json:"holders,omitempty"`
	// Bounded: there are more files than a walk looks at.
	Bounded bool `json:"bounded,omitempty"`
	// Vague: there were so many files that some may have been taken for others.
	Vague bool `json:"vague,omitempty"`
	// Begun is when the run began, in milliseconds since 1970.
	Begun int64 `json:"begun"`
}

// Unread is a file that nothing explains. Kind is one of Kinds, "" where it was not looked at.
type Unread struct {
	manifest.FileState

	Kind string `json:"kind,omitempty"`
}

// Amiss is a file that is damaged, or that is known and was not read. As is abi.FileDamaged or
// abi.FileKnown, and Reason is the guest's.
type Amiss struct {
	manifest.FileState

	As     string `json:"as"`
	Reason string `json:"reason,omitempty"`
}

func (x *Amiss) compare(y *Amiss) int {
	return cmp.Or(cmp.Compare(x.Root, y.Root), cmp.Compare(x.Path, y.Path), cmp.Compare(x.Reason, y.Reason))
}

// Close walks the folders and says what became of each file. It is called once, when the
// guest has ended.
func (b *Books) Close(roots map[string]*os.Root, now func() time.Time) *Report {
	w := &walk{books: b, now: now, left: maxWalked, report: &Report{Begun: b.begun.UnixMilli(), Vague: b.explained.bloom != nil || b.vouched.full()}}
	for _, c := range b.roots {
		if root := roots[c.Name]; root != nil {
			w.root, w.counts = root, c
			w.folder(".", 0)
		}
		w.report.Roots = append(w.report.Roots, *c)
	}
	look := func(f File) (manifest.FileState, bool) { return stateOf(roots[f.Root], f) }
	b.amiss.report(w.report, look, b.allows)
	w.over(look)
	for at := range b.holders {
		if state, is := look(at); is {
			w.report.Holders = append(w.report.Holders, state)
		}
	}
	w.report.Said = b.said.list()
	slices.SortFunc(w.report.Roots, func(x, y RootCounts) int { return cmp.Compare(x.Name, y.Name) })
	slices.SortFunc(w.report.Unread, func(x, y Unread) int { return cmp.Or(cmp.Compare(x.Root, y.Root), cmp.Compare(x.Path, y.Path)) })
	return w.report
}

type walk struct {
	books     *Books
	now       func() time.Time // a walk takes its time
	report    *Report
	root      *os.Root
	counts    *RootCounts
	left      int
	nameBytes int
	kinds     int
}

func (w *walk) folder(dir string, depth int) {
	if w.passed(dir) {
		return
	}
	f, err := w.root.Open(dir)
	if err != nil || depth > maxDepth {
		w.unlisted(dir)
		return
	}
	defer func() { _ = f.Close() }()
	w.list(dir, depth, f.ReadDir)
}

func (w *walk) list(dir string, depth int, read func(int) ([]fs.DirEntry, error)) {
	for {
		entries, err := read(listEach)
		for _, e := range entries {
			if w.left--; w.left < 0 {
				w.report.Bounded = true
				return
			}
			w.entry(dir, e, depth)
		}
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			w.unlisted(dir) // what follows is not known
			return
		case len(entries) == 0 || err != nil:
			return
		}
	}
}

// unlisted notes a folder whose content is not known. A rule may name it like a file.
func (w *walk) unlisted(dir string) {
	if w.covered(dir) {
		w.counts.Rule++
	} else {
		w.unexplained(dir, KindUnlisted)
	}
}

// entry judges a file, or walks a folder.
func (w *walk) entry(dir string, e fs.DirEntry, depth int) {
	spelled := rootfs.Shown(w.root, dir, e)
	name := path.Join(dir, spelled)
	switch {
	case e.IsDir() && spelled != e.Name():
		w.named(name, KindMisnamed)
	case e.IsDir():
		w.folder(name, depth+1)
	case e.Type()&fs.ModeSymlink != 0:
		w.link(name)
	case !e.Type().IsRegular():
	case spelled != e.Name():
		w.counts.There++
		kind := KindMisnamed
		if _, is := rootfs.Away(e.Name()); is {
			kind = KindAway
		}
		w.named(name, kind)
	default:
		w.counts.There++
		w.judge(name, e)
	}
}

// link passes over one that leads to something in the root, which is judged where that is. A
// guest cannot read anything elsewhere.
func (w *walk) link(name string) {
	if _, err := w.root.Stat(name); err != nil {
		w.named(name, KindLink)
	}
}

// named judges what a guest cannot open. It can only say that it is there.
func (w *walk) named(name, kind string) {
	switch {
	case w.ruled(name):
		w.counts.Rule++
	case !w.books.vouched.has(told(hash(w.books.seed, w.counts.Name, name))):
		w.unexplained(name, kind)
	}
}

func (w *walk) judge(name string, e fs.DirEntry) {
	b := w.books
	h := hash(b.seed, w.counts.Name, name)
	switch {
	case b.unknown[h] && !b.ruled(name):
		w.unexplained(name, "")
	case w.ruled(name):
		w.counts.Rule++
	case b.explained.has(h) && w.vouched(h, name, e):
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

// vouched reports whether the word that explains a file is more than a word. In a run without
// a cursor, one that was read was opened; an empty one need not be. Likewise one that nothing
// explained in the run before: that it was read then is not so.
func (w *walk) vouched(h uint64, name string, e fs.DirEntry) bool {
	b := w.books
	before := !b.rule.Fresh && !(b.claims && b.earlier[File{w.counts.Name, name}])
	if before || b.vouched.has(told(h)) {
		return true
	}
	info, err := e.Info()
	return err == nil && (info.Size() == 0 || b.vouched.has(same(b.seed, info)))
}

// ruled reports whether a rule says that the file, or that of a folder above it, is not for the
// connector. Litter is for no connector.
func (w *walk) ruled(name string) bool { return litter(path.Base(name)) || w.covered(name) }

func (w *walk) covered(name string) bool {
	return w.books.ruled(name) || slices.ContainsFunc(w.books.rule.Ignores, func(r abi.Ignore) bool { return manifest.Covers(r, name) })
}

// passed reports whether a rule says that everything in the folder is not for the connector, and the connector
// nothing else of a file in it.
func (w *walk) passed(dir string) bool {
	in := path.Join(dir, "any") // a rule for the folder covers whatever is in it
	passes := func(pattern string) bool {
		return strings.Trim(pattern, "/") != pattern && manifest.Covers(abi.Ignore{Pattern: pattern}, in)
	}
	return slices.ContainsFunc(w.books.rules, passes) ||
		!w.books.within[hash(w.books.seed, w.counts.Name, dir)] && slices.ContainsFunc(w.books.rule.Ignores, func(r abi.Ignore) bool { return passes(r.Pattern) })
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
// not have seen it. One from the future tells nothing: a clock was put back, or is another one.
func (w *walk) arrived(e fs.DirEntry) bool {
	info, err := e.Info()
	return err == nil && !changedAt(info).Before(w.books.begun) && !changedAt(info).After(w.now())
}

// asBefore reports whether the file has not changed since a run whose books were whole, and
// was explained then by more than a rule.
func (w *walk) asBefore(name string, e fs.DirEntry) bool {
	b := w.books
	if b.rule.Since == 0 || b.earlier[File{w.counts.Name, name}] ||
		slices.ContainsFunc(b.rule.Ruled, func(p string) bool { return manifest.Covers(abi.Ignore{Pattern: p}, name) }) {
		return false
	}
	info, err := e.Info()
	return err == nil && changedAt(info).UnixMilli() < b.rule.Since
}

func (w *walk) unexplained(name, kind string) {
	at := File{w.counts.Name, name}
	words, full := w.books.words[at], len(w.report.Unread) >= MaxNames || w.nameBytes+len(name) > maxNameBytes
	if full && words == nil {
		w.counts.Unexplained++
		return
	}
	state, _ := stateOf(w.root, at)
	if manifest.Allowed(words, state, name, "") {
		w.counts.Rule++
		return
	}
	if w.counts.Unexplained++; full {
		return
	}
	w.nameBytes += len(name)
	if kind == "" && w.kinds < maxKinds {
		w.kinds++
		kind = kindOf(w.root, name)
	}
	w.report.Unread = append(w.report.Unread, Unread{state, kind})
}
