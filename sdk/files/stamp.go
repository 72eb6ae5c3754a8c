package files

import (
	"io/fs"

	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
)

// Stamp is what is remembered of a file, so that a later run knows whether it is the same. No program
// can set the time of a change back, as it can the time of modification: a file that takes another
// one's place has a later one, also where a copy kept size and time of modification. The zero Stamp
// is that of no file.
type Stamp struct {
	Size    int64 // bytes
	MTimeMS int64 // of the modification, in Unix milliseconds
	CTimeMS int64 // of the last change of content, name or rights, in Unix milliseconds; 0: not known
}

// StampOf returns the stamp of a file.
func StampOf(info fs.FileInfo) Stamp {
	return Stamp{Size: info.Size(), MTimeMS: info.ModTime().UnixMilli(), CTimeMS: changedMS(info)}
}

// Same reports whether a file whose stamp is now has not changed since it had this one. Where one of
// the two has no time of a change, as in cursors of earlier versions, the others decide.
func (s Stamp) Same(now Stamp) bool {
	return s.Size == now.Size && s.MTimeMS == now.MTimeMS && (s.CTimeMS == now.CTimeMS || s.CTimeMS == 0 || now.CTimeMS == 0)
}

// Learn has a stamp take over when the file was changed if it lacks that, and reports whether it did. The
// caller has found the two to be the Same.
func Learn(s *Stamp, now Stamp) bool {
	if s.CTimeMS != 0 || now.CTimeMS == 0 {
		return false
	}
	s.CTimeMS = now.CTimeMS
	return true
}

// Changes adds the time of a change of one more file to those of several, in their order: a number
// that another time changes, of 53 bits, 0 as long as no time is known.
func Changes(of, timeMS int64) int64 {
	const exact = 1<<53 - 1 // what a number of JSON holds
	if timeMS == 0 {
		return of
	}
	return int64(fingerprint.Mix(fingerprint.Step(uint64(of), uint64(timeMS))) & exact)
}
