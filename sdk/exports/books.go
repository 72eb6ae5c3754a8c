package exports

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/clip"
)

// Fate is what became of a file.
type Fate uint8

// The fates. Unknown is what a connector says that recognizes nothing.
const (
	Unknown Fate = iota // nothing recognized it
	Read                // what it has for the streams was read
	Rule                // a rule says that it is not for the connector; Kind names the rule
	Known               // it was recognized and cannot be read; Why says why
	Damaged             // something in it cannot be read; Why says what, At where
)

// Outcome is what became of one file.
type Outcome struct {
	Fate Fate
	// Kind is what the file was taken for, a word of the connector's, for the counts. That of a file
	// which a Rule passes over is the name of a rule in the manifest's local_paths.
	Kind string
	Why  string // a problem's code
	At   string // the place in the file
	Of   string // the stream of which something is missing by a problem of the connector's; "": more than one
}

// Books are what became of files: the counts of their kinds, and what was found wrong.
type Books struct {
	Kinds    Tally
	Problems Findings

	fates  fates
	missed []string // codes of the file at hand, see Miss
}

// NewBooks returns books without an entry.
func NewBooks() Books { return Books{Kinds: make(Tally), Problems: make(Findings)} }

// Add adds other books.
func (b *Books) Add(other Books) {
	b.Kinds.Add(other.Kinds)
	b.Problems.Add(other.Problems)
	b.fates.addAll(&other.fates)
}

// SettleFile settles a file, and notes what its text was taken for.
func (b *Books) SettleFile(f *File, o Outcome, err error) error {
	o, err = b.settle(f.Place, o, err)
	if (o.Fate == Read || o.Fate == Damaged) && f.text != nil && f.text.Taken() > 0 { // of another file nobody knows that it is text
		b.Note(TakenForLatin, f.Place, "")
	}
	if err == nil {
		rule := o.Kind
		if f.Size == 0 || f.Place != f.Name { // an empty file that was opened was read; an archive counts its own
			rule = ""
		}
		b.fates.add(f.Name, o.Fate, o.Why, rule, b.missed...)
	}
	b.missed = nil
	return err
}

// Miss counts n cases of a problem, by which items of a stream are missing, and with which the file at hand is accounted
// for, too, when it is settled: its owner may say that the file may stay as it is.
func (b *Books) Miss(stream, code string, n int64, f *File, at string) {
	if n == 0 {
		return
	}
	place := f.Place
	if at != "" {
		place += ", " + at
	}
	b.Problems.Note(of(code, stream), n, place)
	if !slices.Contains(b.missed, code) {
		b.missed = append(b.missed, code)
	}
}

// MissIn has the settled file of that name accounted for with a problem which was found later.
func (b *Books) MissIn(name, code string) {
	b.fates.left = append(b.fates.left, left{name, Damaged, code})
}

// MissParts has each source that is a part of an export accounted for, if another part is named as missing.
func MissParts(s *Source, missing map[string]bool, b *Books) {
	p, is := PartOf(s.Name)
	switch {
	case !is || !missing[p.Of]:
	case s.loose != nil:
		b.MissIn(s.loose[0].Path, PartMissing)
	default:
		b.MissIn(s.Name, PartMissing)
	}
}

// Settle notes what became of the file of that name, the only place that does. An err of a
// reader makes the file damaged, whatever the outcome says; any other one is the run's and is
// returned.
func (b *Books) Settle(name string, o Outcome, err error) error {
	_, err = b.settle(name, o, err)
	return err
}

func (b *Books) settle(name string, o Outcome, err error) (Outcome, error) {
	if err != nil {
		code := ProblemOf(err)
		if code == "" {
			return o, err
		}
		o.Fate, o.Why, o.At, o.Of = Damaged, code, placeOf(err), ""
		if refused[code] {
			o.Fate = Known
		}
	}
	if o.Kind != "" {
		b.Kinds[o.Kind]++
	}
	switch o.Fate {
	case Read, Rule:
	case Known, Damaged:
		b.Note(of(o.Why, o.Of), name, o.At)
	case Unknown: // the host tells of it
	}
	return o, nil
}

// refused are the problems of files that are not read at all.
var refused = map[string]bool{
	"archive_encrypted": true, "archive_unsupported": true, "archive_unsafe_name": true, "archive_duplicate_name": true,
	"archive_nested": true, "archive_too_large": true, "archive_not_an_archive": true, Unreadable: true,
}

// NoteHalves notes a file in which texts have half of a surrogate pair.
func (b *Books) NoteHalves(f *File, texts int64) {
	if texts > 0 {
		b.Note(HalfCharacters, f.Place, "")
	}
}

// Note counts one case of a problem, at a place of the named file.
func (b *Books) Note(code, name, at string) {
	if at != "" {
		name += ", " + at
	}
	b.Problems.Note(code, 1, name)
}

// placeOf is what a reader says of the place of its error.
func placeOf(err error) string {
	if e, ok := err.(*abi.Error); ok { //nolint:errorlint // as the readers return it; errors.As needs reflection
		return e.Detail
	}
	return ""
}

// maxPlace bounds the name of a file in what is told.
const maxPlace = 200

// shown is a place as it is told: cut in front, because a path's end says most.
func shown(place string) string {
	if len(place) <= maxPlace {
		return place
	}
	cut := place[len(place)-maxPlace:]
	for cut != "" && cut[0]&0xc0 == 0x80 { // within a character
		cut = cut[1:]
	}
	return "…" + clip.Text(cut, maxPlace)
}
