package archive

import (
	"io/fs"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/charset"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
)

// seen is the set of names met so far, eight bytes for each: two names with the same sum
// would count as one, which nobody's data meets by chance.
type seen struct {
	slots []uint64 // open addressing; 0 is empty
	n     int
}

// add reports whether the name is new.
func (s *seen) add(name string) bool {
	if 4*(s.n+1) > 3*len(s.slots) {
		s.grow()
	}
	sum := fingerprint.Mix(fingerprint.Text(fingerprint.Start, name)) | 1
	at := s.place(sum)
	if s.slots[at] == sum {
		return false
	}
	s.slots[at] = sum
	s.n++
	return true
}

// place returns where sum is, or the empty slot where it belongs.
func (s *seen) place(sum uint64) int {
	mask := uint64(len(s.slots) - 1)
	at := (sum >> 1) & mask
	for s.slots[at] != 0 && s.slots[at] != sum {
		at = (at + 1) & mask
	}
	return int(at)
}

// has reports whether the name was added.
func (s *seen) has(name string) bool {
	if len(s.slots) == 0 {
		return false
	}
	sum := fingerprint.Mix(fingerprint.Text(fingerprint.Start, name)) | 1
	return s.slots[s.place(sum)] == sum
}

func (s *seen) grow() {
	old := s.slots
	s.slots = make([]uint64, max(1024, 2*len(old)))
	for _, sum := range old {
		if sum != 0 {
			s.slots[s.place(sum)] = sum
		}
	}
}

// archives are the endings of names that this package takes for archives.
var archives = []string{".zip", ".tar", ".tgz", ".gz", ".7z", ".rar", ".bz2", ".xz", ".zst", ".jar"}

// shown is a name as entries have it: valid UTF-8, where bytes of another encoding are taken
// for Windows-1252, and without the "./" of many a tar.
func shown(name string) string {
	text, _ := charset.Text([]byte(name))
	return strings.TrimPrefix(text, "./")
}

// nameProblem judges the name of a file in the archive.
func (r *Reader) nameProblem(name string) *abi.Error {
	if len(name) > r.limits.NameBytes {
		return tooLarge("the name of an entry is too long")
	}
	foreign := strings.ContainsAny(name, "\\\x00") || len(name) > 1 && name[1] == ':'
	if !fs.ValidPath(name) || name == "." || foreign && !r.isLoose() {
		return &abi.Error{Code: CodeUnsafeName, Message: "the name of an entry leads out of the archive, or is no path"}
	}
	if !r.names.add(name) {
		return &abi.Error{Code: CodeDuplicateName, Message: "two entries have the same name; the first one counts"}
	}
	for _, end := range archives {
		if len(name) >= len(end) && strings.EqualFold(name[len(name)-len(end):], end) {
			return &abi.Error{Code: CodeNested, Message: "an archive within the archive is not opened",
				Hint: "put it beside the outer one"}
		}
	}
	return nil
}

// slashed is the name of a zip's entry with the backslashes that programs of Windows write in the place of
// slashes. A name that has both is left as it is, and refused.
func slashed(name string) string {
	if strings.Contains(name, "/") {
		return name
	}
	return strings.ReplaceAll(name, "\\", "/")
}
