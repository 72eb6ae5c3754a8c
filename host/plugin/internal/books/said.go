package books

import (
	"cmp"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
)

// MaxSaid bounds the files of which it is known how much was read: for whoever tests a
// connector, whose sample is small.
const MaxSaid = 256

// Said is a file that the guest says it has read, and how much it read of it.
type Said struct {
	File

	Bytes   int64             `json:"bytes"`            // in this run, repeated ones included
	Partly  bool              `json:"partly,omitempty"` // only the beginning, as a rule has it
	Entries *abi.EntryAccount `json:"entries,omitempty"`
}

// said follows what the guest reads of its files, and which of them it says that it has read.
type said struct {
	taken map[File]*int64
	full  bool // more files were opened than are followed
	read  map[File]*abi.FileAccount
}

func (s *said) opened(f File) *int64 {
	if n := s.taken[f]; n != nil {
		return n
	}
	if s.full = s.full || len(s.taken) >= MaxSaid; s.full {
		return nil
	}
	if s.taken == nil {
		s.taken = map[File]*int64{}
	}
	n := new(int64)
	s.taken[f] = n
	return n
}

// claim follows a word on a file. A later one replaces an earlier one.
func (s *said) claim(at File, f *abi.FileAccount) {
	if f.As != abi.FileRead && f.As != abi.FileBeginning {
		delete(s.read, at)
		return
	}
	if _, known := s.read[at]; !known && len(s.read) >= MaxSaid {
		return
	}
	if s.read == nil {
		s.read = map[File]*abi.FileAccount{}
	}
	s.read[at] = &abi.FileAccount{As: f.As, Entries: f.Entries}
}

// list returns the files. Where more were opened than are followed, those of which nothing is
// known are left out.
func (s *said) list() (out []Said) {
	for f, word := range s.read {
		n := s.taken[f]
		switch partly := word.As == abi.FileBeginning; {
		case n != nil:
			out = append(out, Said{f, *n, partly, word.Entries})
		case !s.full:
			out = append(out, Said{f, 0, partly, word.Entries})
		}
	}
	slices.SortFunc(out, func(x, y Said) int { return cmp.Or(cmp.Compare(x.Root, y.Root), cmp.Compare(x.Path, y.Path)) })
	return out
}
