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

// left is a file that was not read, and its fate.
type left struct {
	name string
	fate Fate
}

func (f *fates) add(name string, fate Fate) {
	if f.n[fate]++; fate != Read && fate != Rule && len(f.left) < maxLeft {
		f.left = append(f.left, left{name, fate})
	}
}

func (f *fates) addAll(other *fates) {
	for i, n := range other.n {
		f.n[i] += n
	}
	f.left = append(f.left, other.left[:min(len(other.left), maxLeft-len(f.left))]...)
}

// appendJSON appends the counts, and the files that were not read, each behind its fate.
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
	}
	return append(b, ']')
}

func readFates(v jsonvalue.Value) (f fates) {
	var fate Fate
	at := 0
	for it := v.Children(); it.Next(); at++ {
		switch v := it.Value(); {
		case at < len(f.n):
			f.n[at] = v.Int()
		case v.Kind() == jsonvalue.String:
			f.left = append(f.left, left{v.Str(), fate})
		default:
			fate = Fate(min(v.Int(), int64(Damaged)))
		}
	}
	return f
}

// words are the host's for the fates.
var words = [...]string{Unknown: abi.FileUnknown, Read: abi.FileRead, Rule: abi.FileRead, Known: abi.FileKnown, Damaged: abi.FileDamaged}

// account tells the host what became of each file of the folder (AC-02): of archives with their
// entries, of loose files one by one.
func (e *Each) account() {
	b := e.said
	for _, p := range e.folder.unfinished {
		b.Known(e.folder.name, p, Unfinished)
	}
	known := e.states[e.h.Streams()[0]]
	for i := range e.folder.Sources {
		s := &e.folder.Sources[i]
		f, why := known[s.Name].books.fates, e.refusedFor[s.Name]
		if s.loose == nil {
			e.accountArchive(b, s, &f, why)
			continue
		}
		fate := make(map[string]Fate, len(f.left))
		for _, l := range f.left {
			fate[l.name] = l.fate
		}
		for _, l := range s.loose {
			switch of, not := fate[l.Path]; {
			case not:
				e.accountLoose(b, l.Path, of)
			case why != "":
				b.Known(e.folder.name, l.Path, why)
			default:
				b.Read(e.folder.name, l.Path)
			}
		}
	}
}

func (e *Each) accountLoose(b *accounts.Books, path string, of Fate) {
	switch of {
	case Known:
		b.Known(e.folder.name, path, "")
	case Damaged:
		b.Damaged(e.folder.name, path, "")
	case Unknown:
		b.Unknown(e.folder.name, path)
	case Read, Rule:
		b.Read(e.folder.name, path)
	}
}

// accountArchive says of an archive that it was read, if something in it was; that it is not
// understood, if it has nothing but files that are not; and else why it was not read.
func (e *Each) accountArchive(b *accounts.Books, s *Source, f *fates, why string) {
	as := words[Read]
	switch {
	case why != "" && refused[why]:
		as = words[Known]
	case why != "":
		as = words[Damaged]
	case f.n[Read] == 0 && f.n[Unknown] > 0 && f.n[Known]+f.n[Damaged] == 0:
		b.Unknown(e.folder.name, s.Name)
		return
	case f.n[Read] == 0: // nothing in it is for the connector
		as = words[Known]
	}
	entries := accounts.Entries{Read: f.n[Read], Rule: f.n[Rule], Known: f.n[Known], Damaged: f.n[Damaged]}
	named := f.n[Unknown]
	for _, l := range f.left {
		if l.fate == Unknown {
			entries.Unknown(l.name)
			named--
		}
	}
	entries.UnknownOthers(named)
	b.Archive(e.folder.name, s.Name, as, why, &entries)
}
