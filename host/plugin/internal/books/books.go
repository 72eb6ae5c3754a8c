package books

import (
	"hash/maphash"
	"io/fs"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// Rule is what a run already knows of its folders before it begins.
type Rule struct {
	// Ignores are the rules of the connector's manifest, by which files are not for it. They do not hold for a
	// file that the connector speaks of.
	Ignores []abi.Ignore `json:"ignores,omitempty"`
	// Owners are the owner's words on files that may stay as they are.
	Owners []manifest.Word `json:"owners,omitempty"`
	// Since is when the last run began whose books were whole, in milliseconds since 1970;
	// 0: there is none, or this run collects everything anew. A file that has not changed since
	// is judged as it was then, where the guest does not account for its files.
	Since int64 `json:"since,omitempty"`
	// Earlier are the files that nothing explained then, and Ruled the patterns of those that
	// were left alone then: what they cover was not read.
	Earlier []File   `json:"earlier,omitempty"`
	Ruled   []string `json:"ruled,omitempty"`
	// Fresh: there is no cursor, so that what is not opened in this run is not read.
	Fresh bool `json:"fresh,omitempty"`
}

// File names a file of a granted folder.
type File struct {
	Root string `json:"root"`
	Path string `json:"path"` // below the root, with slashes
}

// Books are the books of one run. The goroutine that runs the guest has them for itself.
type Books struct {
	seed  maphash.Seed
	begun time.Time
	rule  Rule
	roots map[string]*RootCounts

	explained set
	vouched   few             // of a run that is fresh, or behind one that left files: those that were opened, or need not be
	read      few             // files that the guest says it has read
	unknown   map[uint64]bool // at most maxExact: so many make the folder unexplained anyway
	within    map[uint64]bool // the folders that they are in
	amiss     amiss
	said      said
	earlier   map[File]bool
	holders   map[File]bool // archives with entries that nothing explains, at most MaxNames
	claims    bool          // the guest accounts for its files

	rules []string                 // of the owner
	words map[File][]manifest.Word // of the owner, on one file each: by the file, or by the entry as if it were one
}

// RootCounts counts the files of one granted folder.
type RootCounts struct {
	Name   string `json:"name"`
	There  int64  `json:"there"`  // at the end of the run
	Listed int64  `json:"listed"` // entries of listings, repeated ones included
	Opened int64  `json:"opened"`
	Whole  int64  `json:"whole"` // read to the end
	Read   int64  `json:"read"`  // files that were read, in this run or as far as a cursor names
	Rule   int64  `json:"rule,omitempty"`
	Known  int64  `json:"known,omitempty"`
	Broken int64  `json:"damaged,omitempty"`
	New    int64  `json:"new,omitempty"` // appeared or changed during the run, and not read
	// Unexplained are left.
	Unexplained int64 `json:"unexplained,omitempty"`
}

// New returns the books of a run that begins now.
func New(rule Rule, now time.Time) *Books {
	b := &Books{seed: maphash.MakeSeed(), begun: now, rule: rule, roots: map[string]*RootCounts{}, unknown: map[uint64]bool{}, within: map[uint64]bool{}, earlier: map[File]bool{}, holders: map[File]bool{}, words: map[File][]manifest.Word{}}
	for _, f := range rule.Earlier {
		b.earlier[f] = true
	}
	for _, w := range rule.Owners {
		if w.IsRule() {
			b.rules = append(b.rules, w.Pattern)
		} else {
			at := File{w.Root, w.File()}
			b.words[at] = append(b.words[at], w)
		}
	}
	return b
}

// Root returns the page of one folder.
func (b *Books) Root(name string) *Page {
	c := &RootCounts{Name: name}
	b.roots[name] = c
	return &Page{books: b, counts: c}
}

// Page is told what a guest does in one folder.
type Page struct {
	books  *Books
	counts *RootCounts
}

// Listed counts entries that a listing returned and that are regular files.
func (p *Page) Listed(files int) { p.counts.Listed += int64(files) }

// Opened counts a file that was opened, and returns the count of the bytes that are read of it.
func (p *Page) Opened(path string, info fs.FileInfo) *int64 {
	p.counts.Opened++
	if b := p.books; b.rule.Fresh || len(b.earlier) > 0 {
		b.vouched.add(same(b.seed, info)) // by whatever name
	}
	return p.books.said.opened(File{p.counts.Name, path})
}

// Ended notes a file that was read whole. That the end of one was read says nothing of its
// beginning: a guest that goes on where an earlier run ended has to say so.
func (p *Page) Ended(path string) {
	p.counts.Whole++
	p.books.explained.add(hash(p.books.seed, p.counts.Name, path))
}
