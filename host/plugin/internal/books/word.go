package books

import (
	"os"
	"path"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// ruled reports whether a rule of the owner's says that the file is not for the connection.
func (b *Books) ruled(name string) bool {
	return slices.ContainsFunc(b.rules, func(p string) bool { return manifest.Covers(abi.Ignore{Pattern: p}, name) })
}

// allows reports whether the owner said that the file may stay as it is, for that reason.
func (b *Books) allows(f manifest.FileState, reason string) bool {
	return b.ruled(f.Path) || manifest.Allowed(b.words[File{f.Root, f.Path}], f, f.Path, reason)
}

// over reports the owner's words on files that have changed since, and on entries of such archives. A file that is
// not there may come back as it was: its disk may be away.
func (w *walk) over(look func(File) (manifest.FileState, bool)) {
	for at, words := range w.books.words {
		state, is := look(at)
		for dir := at.Path; !is && dir != "." && dir != "/"; { // an entry of an archive, perhaps
			dir = path.Dir(dir)
			state, is = look(File{at.Root, dir})
		}
		for _, o := range words {
			if is && !o.IsOf(state) {
				w.report.Over = append(w.report.Over, o)
			}
		}
	}
	slices.SortFunc(w.report.Over, func(x, y manifest.Word) int { return strings.Compare(x.Pattern, y.Pattern) })
}

// stateOf returns a file as it is, and whether it is there. A folder that cannot be listed is like a file.
func stateOf(root *os.Root, f File) (manifest.FileState, bool) {
	state := manifest.FileState{Root: f.Root, Path: f.Path}
	if root == nil {
		return state, false
	}
	info, err := root.Lstat(f.Path)
	if err != nil {
		return state, false
	}
	state.Size, state.ChangedMS = info.Size(), changedAt(info).UnixMilli()
	return state, !info.IsDir()
}
