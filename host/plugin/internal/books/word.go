package books

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// Word is an owner's word on files: see manifest.Allows. The reason "" is that nothing explains a file.
type Word struct {
	Pattern string   `json:"pattern"`
	For     []string `json:"for,omitempty"`
}

func (r *Rule) allows(file, reason string) bool {
	return slices.ContainsFunc(r.Owners, func(w Word) bool { return manifest.Allows(w.Pattern, w.For, file, reason) })
}

// Below reports whether the word is about what is in one file, which is an archive.
func (w Word) Below(archive string) bool {
	return strings.HasPrefix(w.Pattern, manifest.ExactFile(archive)+"/")
}

// owned reports whether a rule of the owner's says that the file is not for the connection.
func (w *walk) owned(name string) bool {
	return slices.ContainsFunc(w.books.rule.Owners, func(o Word) bool { return len(o.For) == 0 && manifest.Allows(o.Pattern, nil, name, "") })
}

// allowed reports whether the owner said that the file may stay unexplained, which it is.
func (w *walk) allowed(name string) bool {
	if !w.books.rule.allows(name, "") {
		return false
	}
	if w.needed == nil {
		w.needed = map[string]bool{}
	}
	w.needed[name] = true
	return true
}

// hear notes that the guest speaks of a file.
func (b *Books) hear(file string) {
	if slices.ContainsFunc(b.rule.Owners, func(o Word) bool { return o.Pattern == manifest.ExactFile(file) }) {
		b.spoken[file] = true
	}
}

// over reports the reasons of the owner's words on files that this run shows to be gone: the file is not there,
// something explains it, or the guest spoke of it and gave another reason or none. Entries of archives are
// left to those who read the guest's word on these.
func (w *walk) over(roots map[string]*os.Root) {
	if w.report.Bounded || w.books.amiss.full || slices.ContainsFunc(w.report.Roots, func(c RootCounts) bool { return roots[c.Name] == nil }) {
		return // not everything was looked at
	}
	for _, o := range w.books.rule.Owners {
		file := strings.TrimPrefix(o.Pattern, "/")
		there, entry := w.needed[file], false
		for _, root := range roots {
			_, err := root.Lstat(file)
			there, entry = there || !errors.Is(err, fs.ErrNotExist), entry || inArchive(root, file)
		}
		if entry {
			continue
		}
		gone := Word{Pattern: o.Pattern}
		for _, reason := range o.For {
			if !there || !w.holds(file, reason) {
				gone.For = append(gone.For, reason)
			}
		}
		if len(gone.For) > 0 {
			w.report.Over = append(w.report.Over, gone)
		}
	}
}

// holds reports whether a file still has a reason, or nothing says that it does not.
func (w *walk) holds(file, reason string) bool {
	switch b := w.books; {
	case reason == "":
		return w.needed[file]
	case !b.spoken[file] || b.amiss.more[reason]:
		return true
	default:
		return b.amiss.given(file, reason)
	}
}

// inArchive reports whether a folder of the path is a file.
func inArchive(root *os.Root, file string) bool {
	for dir := path.Dir(file); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if info, err := root.Lstat(dir); err == nil {
			return !info.IsDir()
		}
	}
	return false
}
