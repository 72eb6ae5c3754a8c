package exports

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/accounts"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// maxLeft bounds the files of a source whose names are remembered because they were not read. A
// source with more of them has its owner's attention anyway.
const maxLeft = 1000

// fates are what became of the files of one source.
type fates struct {
	n    [Damaged + 1]int64 // by Fate
	left []left             // the first of those that were not read
}

// left is a file that was not read to its end, its fate, and the problem that is told of it.
type left struct {
	name string
	fate Fate
	why  string
}

func (f *fates) add(name string, fate Fate, why string) {
	if f.n[fate]++; fate != Read && fate != Rule && len(f.left) < maxLeft {
		f.left = append(f.left, left{name, fate, why})
	}
}

func (f *fates) addAll(other *fates) {
	for i, n := range other.n {
		f.n[i] += n
	}
	f.left = append(f.left, other.left[:min(len(other.left), maxLeft-len(f.left))]...)
}

// appendJSON appends the counts, and the files that were not read, each with its fate and problem.
func (f *fates) appendJSON(b []byte) []byte {
	b = append(b, '[')
	for i, n := range f.n {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsonappend.Int(b, n)
	}
	for _, l := range f.left {
		b = jsonappend.Int(append(b, ','), int64(l.fate))
		b = jsonappend.String(append(b, ','), l.name)
		b = jsonappend.String(append(b, ','), l.why)
	}
	return append(b, ']')
}

func readFates(v jsonvalue.Value) (f fates) {
	var l left
	at := 0
	for it := v.Children(); it.Next(); at++ {
		v := it.Value()
		switch of := (at - len(f.n)) % 3; {
		case at < len(f.n):
			f.n[at] = v.Int()
		case of == 0:
			l.fate = Fate(min(v.Int(), int64(Damaged)))
		case of == 1:
			l.name = v.Str()
		default:
			l.why = v.Str()
			f.left = append(f.left, l)
		}
	}
	return f
}

// words are the host's for the fates.
var words = [...]string{Unknown: abi.FileUnknown, Read: abi.FileRead, Rule: abi.FileRead, Known: abi.FileKnown, Damaged: abi.FileDamaged}

// AppendFates appends, as JSON, what became of the files of a source, for a cursor.
func (b *Books) AppendFates(to []byte) []byte { return b.fates.appendJSON(to) }

// ReadFates reads what AppendFates wrote.
func (b *Books) ReadFates(v jsonvalue.Value) { b.fates = readFates(v) }

// Account tells the host what became of each file of the folder (AC-02): of archives with their
// entries, of loose files one by one. of returns the books of a source and, if it was not read to
// its end, the code of the problem.
func (f *Folder) Account(b *accounts.Books, of func(s *Source) (books *Books, why string)) {
	for _, p := range f.unfinished {
		b.Known(f.name, p, Unfinished)
	}
	for i := range f.Sources {
		s := &f.Sources[i]
		books, why := of(s)
		if s.loose == nil {
			f.accountArchive(b, s, &books.fates, why)
		} else {
			f.accountLoose(b, s, &books.fates, why)
		}
	}
}

// accountLoose says of each file what became of it. Where none was read, the others have nothing
// that is for the connector.
func (f *Folder) accountLoose(b *accounts.Books, s *Source, became *fates, why string) {
	var others int64 // files that were not read, and whose names are not remembered
	for fate, n := range became.n {
		if fate := Fate(fate); fate != Read && fate != Rule {
			others += n
		}
	}
	others -= int64(len(became.left))
	of := make(map[string]*left, len(became.left))
	for i := range became.left {
		of[became.left[i].name] = &became.left[i]
	}
	for _, l := range s.loose {
		switch left := of[l.Path]; {
		case left != nil && left.fate == Damaged:
			b.Damaged(f.name, l.Path, left.why)
		case left != nil && left.fate == Unknown:
			b.Unknown(f.name, l.Path)
		case left != nil:
			b.Known(f.name, l.Path, left.why)
		case became.n[Read] == 0, why != "":
			b.Known(f.name, l.Path, why)
		case others > 0: // it may be one of them: the host finds out whether it was read
		default:
			b.Read(f.name, l.Path)
		}
	}
}

// accountArchive says of an archive that it was read; that it is damaged, or was not read, if that
// holds of something in it, or if the connector has a problem of its own for it; that it is not understood, if it has nothing but files that are not; or
// that it is known, if nothing in it is for the connector.
func (f *Folder) accountArchive(b *accounts.Books, s *Source, became *fates, why string) {
	n := &became.n
	as := words[Read]
	switch {
	case why != "" && (refused[why] || !isFault(why)):
		as = words[Known]
	case why != "":
		as = words[Damaged]
	case n[Damaged] > 0:
		as, why = words[Damaged], became.why(Damaged)
	case n[Known] > 0:
		as, why = words[Known], became.why(Known)
	case n[Read] == 0 && n[Unknown] > 0:
		b.Unknown(f.name, s.Name)
		return
	case n[Read] == 0:
		as = words[Known]
	}
	entries := accounts.Entries{Read: n[Read], Rule: n[Rule], Known: n[Known], Damaged: n[Damaged]}
	named := n[Unknown]
	for _, l := range became.left {
		switch {
		case l.fate == Unknown:
			entries.Unknown(l.name)
			named--
		case l.fate == Damaged && l.why != why:
			b.Damaged(f.name, s.Name, l.why)
		case l.fate == Known && l.why != why:
			b.Known(f.name, s.Name, l.why)
		}
	}
	entries.UnknownOthers(named)
	b.Archive(f.name, s.Name, as, why, &entries)
}

// why returns the problem of the first file with that fate.
func (f *fates) why(fate Fate) string {
	for _, l := range f.left {
		if l.fate == fate {
			return l.why
		}
	}
	return ""
}

// Strange notes that a source is not what the connector reads.
func (b *Books) Strange() { b.fates.n[Unknown]++ }
