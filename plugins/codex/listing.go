package main

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/clip"
	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
	"github.com/pdpp-host/pdpp-host/sdk/zstd"
)

// Bounds on the folders of rollouts.
const (
	maxRollouts = 50000
	maxDepth    = 7
)

// windowBytes is how far back a compressed rollout may refer. Codex compresses at the library's
// ordinary level, which refers back 2 MiB.
const windowBytes = 32 << 20

// rolloutFile is one rollout as the folder lists it.
type rolloutFile struct {
	path    string // below the home folder, as records show it
	root    fs.FS
	granted string // the root's name
	name    string // below root
	packed  bool   // compressed: root shows it unpacked, and Size is that of the file
	files.Stamp
}

// listRollouts lists a folder of rollouts. It is shown as a folder of the home folder.
func (r *run) listRollouts(root fs.FS, granted, folder, shown string) {
	l := files.Walk{Depth: maxDepth, Most: maxRollouts, Keep: func(_ string, folder bool) bool { return !folder }}.List(root, folder)
	unpacked := &zstd.FS{Base: root, Window: windowBytes}
	list := l.Files()
	fileOf := func(e files.Entry) rolloutFile {
		return rolloutFile{path.Join(shown, e.Path), root, granted, path.Join(folder, e.Path), false, e.Stamp}
	}
	twice := r.twice(list, fileOf, unpacked)
	for _, e := range list {
		f := fileOf(e)
		as := r.fateOf(&f)
		if other, is := twice[e.Path]; is {
			as = other
		}
		if as == fateUnknown {
			r.unnamed = append(r.unnamed, unnamed{f, unpacked})
			continue
		}
		r.take(&f, unpacked, r.sort(f.path, as))
	}
	r.faults(l, shown)
	r.strays(l, granted, folder, shown)
	r.folders[shown], r.full = l, r.places.Count(tooMany) > 0
}

// fateOf tells a file by its name, and one with the name of a compressed rollout by whether it is compressed: a
// plain one may have been given the name.
func (r *run) fateOf(f *rolloutFile) fate {
	as := fateOf(f.path)
	if as == fatePacked && r.isPlain(f) {
		return fateRollout
	}
	return as
}

// isPlain reports whether a file that is named like a compressed one begins like a rollout. One that was unpacked
// before is not opened.
func (r *run) isPlain(f *rolloutFile) bool {
	before := r.before.files[f.path]
	known := before != nil && before.brokenBy == "" && before.packed > 0 && before.packedStamp().Same(f.Stamp)
	if known {
		return false
	}
	head, err := files.Read(f.root, f.name, 64)
	return err == nil && bytes.HasPrefix(bytes.TrimLeft(head, "\ufeff\x00 \t\r\n"), []byte("{"))
}

// take takes a file for what it is.
func (r *run) take(f *rolloutFile, unpacked fs.FS, as fate) {
	switch as {
	case fateRule, fateTwice, fateBroken, fateOld, fateUnknown:
		r.accountUnread(f, as)
	case fatePacked:
		f.packed, f.root = true, unpacked
		fallthrough
	case fateRollout:
		r.rollouts = append(r.rollouts, *f)
		r.total += f.Size
	}
}

// faults notes what a walk could not see, and reports whether something may be missing.
// Folders that are deeper than the walk were never collected.
func (r *run) faults(l *files.Listing, folder string) (partial bool) {
	for _, f := range l.Faults {
		at := path.Join(folder, f.Path)
		switch f.Why {
		case files.Deep:
			continue
		case files.Many:
			r.problem(tooMany, folder)
		case files.Linked:
			r.problem(linked, at)
		case files.Strays:
			r.problem(strayed(at), at)
		default:
			r.problem(unreadable, at)
		}
		partial = true
	}
	return partial
}

// strayed is what a link that leads nowhere, or out of the root, is told as. The streams of rollouts are not whole without
// those behind one; a document behind one is none of the home folder's.
func strayed(at string) *problems.Kind {
	if slices.Contains(streamsOf(at), streamCalls) {
		return unreadable
	}
	return linked
}

// strays tells the host of links that lead nowhere, or out of the root. shown is the folder below the home folder.
func (r *run) strays(l *files.Listing, granted, folder, shown string) {
	for _, f := range l.Faults {
		if f.Why == files.Strays {
			r.books.Known(granted, path.Join(folder, f.Path), strayed(path.Join(shown, f.Path)).Reason)
		}
	}
}

// hides reports whether the rollout p may exist although the listing lacks it.
func (r *run) hides(p string) bool {
	for shown, l := range r.folders {
		if below, ok := strings.CutPrefix(p, shown+"/"); ok && l.Hides(below) {
			return true
		}
	}
	return false
}

// sessionFromName returns the session id in rollout-TIME-UUID.jsonl, or the rest of the
// name when it has another form.
func sessionFromName(p string) string {
	name := strings.TrimSuffix(strings.TrimPrefix(plainName(p), "rollout-"), ".jsonl")
	const uuid = 36
	if len(name) > uuid && name[len(name)-uuid-1] == '-' && strings.Count(name[len(name)-uuid:], "-") == 4 {
		return name[len(name)-uuid:]
	}
	if name == "" {
		name = "rollout" // an id is never empty
	}
	return clip.Text(name, maxID)
}
