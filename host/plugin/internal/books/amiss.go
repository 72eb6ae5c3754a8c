package books

import (
	"maps"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// amiss are the files that the guest says are damaged, or known and not read, with the reason of
// each: that of the SKIP_RESULT or the gap which tells of it. A file may have several.
type amiss struct {
	files map[File][]why
	bytes int             // of all names and reasons
	more  map[string]bool // reasons of files beyond the bounds
	full  bool            // there are more reasons than more holds
}

// maxReasons bounds the reasons that are kept of one file.
const maxReasons = 8

type why struct{ as, reason string }

// claim takes the guest's word on a file. That it was read ends what was said before. One that is
// known, for no reason, has nothing that is for the connector.
func (a *amiss) claim(at File, f *abi.FileAccount) {
	w := why{f.As, f.Reason}
	switch e := f.Entries; {
	case f.As == abi.FileRule, f.As == abi.FileBeginning:
		delete(a.files, at)
		return
	case f.As != abi.FileRead:
	case e == nil || e.Damaged == 0:
		delete(a.files, at)
		return
	default: // an archive is as whole as what is in it
		w.as = abi.FileDamaged
	}
	if f.As == abi.FileKnown && w.reason == "" || slices.Contains(a.files[at], w) {
		return
	}
	size := len(at.Path) + len(w.reason)
	switch {
	case len(a.files) < MaxNames && len(a.files[at]) < maxReasons && a.bytes+size <= maxNameBytes:
		if a.files == nil {
			a.files = map[File][]why{}
		}
		a.bytes += size
		a.files[at] = append(a.files[at], w)
	case len(a.more) < MaxNames:
		if a.more == nil {
			a.more = map[string]bool{}
		}
		a.more[w.reason] = true
	default:
		a.full = true
	}
}

// report adds the files that are there and that no pattern of the owner's covers. A reason is settled if such
// patterns cover every file that it was given for; it is open if some of them are not named. More reasons
// than there is room for settle nothing.
func (a *amiss) report(r *Report, stateOf func(File) (manifest.FileState, bool), allows func(f manifest.FileState, reason string) bool) {
	if a.full {
		return
	}
	open, covered := maps.Clone(a.more), map[string]bool{}
	if open == nil {
		open = map[string]bool{}
	}
	for at, whys := range a.files {
		state, is := stateOf(at)
		for _, w := range whys {
			switch {
			case allows(state, w.reason):
				covered[w.reason] = true
			case is && len(r.Amiss) < MaxNames:
				r.Amiss = append(r.Amiss, Amiss{state, w.as, w.reason})
			default:
				open[w.reason] = true
			}
		}
	}
	r.Open = slices.Sorted(maps.Keys(open))
	for i := range r.Amiss {
		open[r.Amiss[i].Reason] = true
	}
	for reason := range open {
		delete(covered, reason)
	}
	r.Settled = slices.Sorted(maps.Keys(covered))
	slices.SortFunc(r.Amiss, func(x, y Amiss) int { return x.compare(&y) })
}
