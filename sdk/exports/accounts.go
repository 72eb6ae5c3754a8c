package exports

import (
	"strconv"
	"strings"

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
	n     [Damaged + 1]int64 // by Fate
	left  []left             // the first of those that were not read
	rules []rules            // by which files were passed over, in the order of the files
	seen  int64
}

// rules are files in succession that one rule passes over.
type rules struct {
	from, n int64 // of the source's files, counted from 0
	rule    string
}

// maxRules bounds the places of a source at which rules begin and end: a folder has no more files.
const maxRules = maxFiles

// left is a file that was not read to its end, its fate, and the problem that is told of it.
type left struct {
	name string
	fate Fate
	why  string
}

// add adds a file, with the problems of items that it has besides. One that was read is damaged by them.
func (f *fates) add(name string, fate Fate, why, rule string, missed ...string) {
	if fate == Read && len(missed) > 0 {
		fate, why, missed = Damaged, missed[0], missed[1:]
	}
	if f.seen++; fate == Rule && rule != "" {
		f.addRule(f.seen-1, rule)
	}
	if f.n[fate]++; fate != Read && fate != Rule && len(f.left) < maxLeft {
		f.left = append(f.left, left{name, fate, why})
		for _, code := range missed {
			f.left = append(f.left, left{name, Damaged, code})
		}
	}
}

func (f *fates) addRule(at int64, rule string) {
	if n := len(f.rules); n > 0 && f.rules[n-1].rule == rule && f.rules[n-1].from+f.rules[n-1].n == at {
		f.rules[n-1].n++
	} else if n < maxRules {
		f.rules = append(f.rules, rules{at, 1, rule})
	}
}

func (f *fates) addAll(other *fates) {
	for _, r := range other.rules {
		if r.from += f.seen; len(f.rules) < maxRules {
			f.rules = append(f.rules, r)
		}
	}
	f.seen += other.seen
	for i, n := range other.n {
		f.n[i] += n
	}
	f.left = append(f.left, other.left[:min(len(other.left), maxLeft-len(f.left))]...)
}

// appendJSON appends the counts, the rules as a text, and the files that were not read, each with its
// fate and problem.
func (f *fates) appendJSON(b []byte) []byte {
	b = append(b, '[')
	for i, n := range f.n {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsonappend.Int(b, n)
	}
	if len(f.rules) > 0 {
		b = jsonappend.String(append(b, ','), f.rulesText())
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
			f.seen += v.Int()
		case at == len(f.n) && v.Kind() == jsonvalue.String:
			f.readRules(v.Str())
			at--
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

// rulesText spells the rules as the files between them, how many they are of, and their names, with a
// star and a number for as many times in succession: a picture and its description take turns.
func (f *fates) rulesText() string {
	var b []byte
	end := int64(0)
	for i := 0; i < len(f.rules); {
		r := f.rules[i]
		gap, times := r.from-end, 0
		for ; i < len(f.rules); i, times = i+1, times+1 {
			if next := f.rules[i]; next.from-end != gap || next.n != r.n || next.rule != r.rule {
				break
			}
			end += gap + r.n
		}
		b = append(append(strconv.AppendInt(b, gap, 10), ' '), strconv.FormatInt(r.n, 10)...)
		b = append(append(b, ' '), r.rule...)
		if times > 1 {
			b = strconv.AppendInt(append(b, '*'), int64(times), 10)
		}
		b = append(b, ' ')
	}
	return string(b)
}

// readRules reads what rulesText spells.
func (f *fates) readRules(text string) {
	words, end := strings.Fields(text), int64(0)
	const each = 3
	for ; len(words) >= each; words = words[each:] {
		gap, err := strconv.ParseInt(words[0], 10, 64)
		n, wrong := strconv.ParseInt(words[1], 10, 64)
		rule, often, repeated := strings.Cut(words[2], "*")
		times := 1
		if repeated {
			times, _ = strconv.Atoi(often)
		}
		if err != nil || wrong != nil || gap < 0 || n <= 0 || times <= 0 || times > maxRules-len(f.rules) {
			return
		}
		for range times {
			f.rules = append(f.rules, rules{end + gap, n, rule})
			end += gap + n
		}
	}
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
	for _, l := range f.left {
		b.Known(f.name, l.name, l.why)
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
	of := make(map[string][]left, len(became.left)) // each with one reason or more
	for _, l := range became.left {
		of[l.name] = append(of[l.name], l)
	}
	others -= int64(len(of))
	rest := became.rules
	for i, l := range s.loose {
		for len(rest) > 0 && rest[0].from+rest[0].n <= int64(i) {
			rest = rest[1:]
		}
		if len(rest) > 0 && rest[0].from <= int64(i) && of[l.Path] == nil && why == "" {
			b.Rule(f.name, l.Path, rest[0].rule)
			continue
		}
		for _, left := range of[l.Path] {
			switch left.fate {
			case Damaged:
				b.Damaged(f.name, l.Path, left.why)
			case Unknown:
				b.Unknown(f.name, l.Path)
			default:
				b.Known(f.name, l.Path, left.why)
			}
		}
		switch {
		case of[l.Path] != nil:
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
	case n[Damaged] > 0 || became.why(Damaged) != "":
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
	named, told := n[Unknown], map[string]bool{why: true}
	for _, l := range became.left {
		switch {
		case l.fate == Unknown:
			entries.Unknown(l.name)
			named--
			continue
		case told[l.why]:
			continue
		case l.fate == Damaged:
			b.Damaged(f.name, s.Name, l.why)
		case l.fate == Known:
			b.Known(f.name, s.Name, l.why)
		}
		told[l.why] = true
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
