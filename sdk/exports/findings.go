package exports

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Tally counts by words: kinds of files, or problems.
type Tally map[string]int64

// Add adds the counts of another one.
func (t Tally) Add(other Tally) {
	for word, n := range other {
		t[word] += n
	}
}

// AppendJSON appends the tally as an object.
func (t Tally) AppendJSON(b []byte) []byte {
	b = append(b, '{')
	for _, word := range Sorted(t) {
		if t[word] != 0 {
			b = jsonappend.Int(jsonappend.Name(b, word), t[word])
		}
	}
	return append(b, '}')
}

// Sorted returns the keys of a map in their order.
func Sorted[V any](m map[string]V) []string {
	words := make([]string, 0, len(m))
	for word := range m {
		words = append(words, word)
	}
	slices.Sort(words)
	return words
}

// ReadTally reads what AppendJSON wrote.
func ReadTally(v jsonvalue.Value) Tally {
	t := make(Tally)
	for it := v.Children(); it.Next(); {
		t[it.Name().Str()] = it.Value().Int()
	}
	return t
}

// maxNamed bounds the places that are named of each problem.
const maxNamed = 3

// finding is how often a problem was met, and the first places.
type finding struct {
	n  int64
	at []string
}

// Findings count problems by their codes, and those that are about one stream by the stream, too. They name the first
// places of each.
type Findings map[string]finding

// of is where the findings have a problem of a stream.
func of(code, stream string) string { return strings.TrimSuffix(code+" "+stream, " ") }

// Note counts n cases of a problem, at a place or at "".
func (f Findings) Note(code string, n int64, place string) {
	if n == 0 {
		return
	}
	found := f[code]
	found.n += n
	found.name(shown(place))
	f[code] = found
}

func (f *finding) name(place string) {
	if place != "" && len(f.at) < maxNamed && !slices.Contains(f.at, place) {
		f.at = append(f.at, place)
	}
}

// Count returns how many cases of a problem there are that is about no stream.
func (f Findings) Count(code string) int64 { return f[code].n }

// Total returns how many cases of all problems there are.
func (f Findings) Total() int64 {
	var n int64
	for _, found := range f {
		n += found.n
	}
	return n
}

// Names reports whether a problem names a place in the file of that name.
func (f Findings) Names(file string) bool {
	for _, found := range f {
		for _, place := range found.at {
			if strings.Contains(place, file) {
				return true
			}
		}
	}
	return false
}

// Add adds other findings.
func (f Findings) Add(other Findings) {
	for _, code := range Sorted(other) {
		found, more := f[code], other[code]
		found.at = slices.Clone(found.at)
		found.n += more.n
		for _, place := range more.at {
			found.name(place)
		}
		f[code] = found
	}
}

// AppendJSON appends the findings as an object.
func (f Findings) AppendJSON(b []byte) []byte {
	b = append(b, '{')
	for _, code := range Sorted(f) {
		b = append(jsonappend.Name(b, code), '{')
		b = jsonappend.Int(jsonappend.Name(b, "n"), f[code].n)
		b = append(jsonappend.Strings(jsonappend.Name(b, "at"), f[code].at), '}')
	}
	return append(b, '}')
}

// ReadFindings reads what AppendJSON wrote.
func ReadFindings(v jsonvalue.Value) Findings {
	f := make(Findings)
	for it := v.Children(); it.Next(); {
		found := finding{n: it.Value().Get("n").Int()}
		for at := it.Value().Get("at").Children(); at.Next(); {
			found.name(at.Value().Str())
		}
		f[it.Name().Str()] = found
	}
	return f
}
