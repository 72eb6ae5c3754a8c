package boundary

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/boundary/internal/tape"
)

// maxFileAccounts bounds the files of one ACCOUNT.
const maxFileAccounts = 4096

// maxPathBytes bounds a path, and the name of an entry.
const maxPathBytes = 4 << 10

// Account reads one ACCOUNT: streams of the manifest, counts that add up, and words of
// abi.FileWords.
func (g *Gate) Account(p []byte) (*abi.Account, error) {
	m, err := openMessage(p, abi.MaxMessageBytes, abi.CodeEnvelope, abi.TypeAccount)
	if err != nil {
		return nil, err
	}
	a := &abi.Account{Type: m.typ}
	err = m.read(false,
		field{"files", false, each(m, maxFileAccounts, &a.Files, func(f *abi.FileAccount) func(int) string { return g.fileAccount(m, f) })},
		field{"streams", false, each(m, len(g.manifest.Streams), &a.Streams, m.streamAccount)},
	)
	for i := range a.Streams {
		if err == nil {
			err = g.declared(m, a.Streams[i].Stream)
		}
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// each returns a reader of an array of at most limit objects.
func each[T any](m *message, limit int, dst *[]T, read func(*T) func(int) string) func(int) string {
	return func(i int) string {
		t := &m.tape
		if t.Kind(i) != tape.Array {
			return "must be an array"
		}
		for k, end := i+1, t.Next(i); k < end; k = t.Next(k) {
			var one T
			if len(*dst) >= limit {
				return fmt.Sprintf("has more than %d items", limit)
			}
			if rule := read(&one)(k); rule != "" {
				return rule
			}
			*dst = append(*dst, one)
		}
		return ""
	}
}

func (g *Gate) fileAccount(m *message, f *abi.FileAccount) func(int) string {
	read := m.object(false,
		field{"root", true, m.oneOf(&f.Root, g.roots...)},
		field{"path", true, m.path(&f.Path)},
		field{"as", true, m.oneOf(&f.As, abi.FileWords...)},
		field{"reason", false, m.text(&f.Reason)},
		field{"entries", false, func(i int) string {
			f.Entries = &abi.EntryAccount{}
			return m.entryAccount(f.Entries)(i)
		}},
	)
	return func(i int) string {
		rule := read(i)
		if rule == "" && (f.As == abi.FileRule || f.As == abi.FileBeginning) && !g.rules(f) {
			rule = "must have the name of a rule of the manifest's local_paths as its reason, which has beginning where as has"
		}
		return rule
	}
}

// rules reports whether the manifest has the rule that the word on a file names.
func (g *Gate) rules(f *abi.FileAccount) bool {
	local := g.manifest.Requirements.LocalPaths
	return local != nil && slices.ContainsFunc(local.Rules, func(r abi.FilesRule) bool {
		return r.Name == f.Reason && r.Beginning == (f.As == abi.FileBeginning)
	})
}

// path returns a reader of the path of a file below its root, which is cut to its bound: a file
// whose path is longer is not named.
func (m *message) path(dst *string) func(int) string {
	return func(i int) string {
		if m.word(dst)(i) != "" || strings.IndexByte(*dst, 0) >= 0 || !fs.ValidPath(path.Clean(*dst)) {
			return "must be a path below the root"
		}
		*dst = clip(*dst, maxPathBytes)
		return ""
	}
}

// clip cuts a text to a bound, at the end of a rune.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return strings.Clone(s[:most]) // so that the rest can be freed
}

func (m *message) entryAccount(e *abi.EntryAccount) func(int) string {
	read := m.object(false,
		field{"count", true, m.count(&e.Count)},
		field{"read", false, m.count(&e.Read)},
		field{"rule", false, m.count(&e.Rule)},
		field{"known", false, m.count(&e.Known)},
		field{"damaged", false, m.count(&e.Damaged)},
		field{"unknown", false, m.count(&e.Unknown)},
		field{"names", false, m.words(&e.Names)},
	)
	return func(i int) string {
		switch rule := read(i); {
		case rule != "":
			return rule
		case len(e.Names) > abi.MaxAccountNames:
			return fmt.Sprintf("has more than %d names", abi.MaxAccountNames)
		case !addsUp(e.Count, e.Read, e.Rule, e.Known, e.Damaged, e.Unknown):
			return "must have a count that is the sum of the others"
		}
		for i, name := range e.Names {
			e.Names[i] = clip(name, maxPathBytes)
		}
		return ""
	}
}

func (m *message) streamAccount(s *abi.StreamAccount) func(int) string {
	read := m.object(false,
		field{"stream", true, m.word(&s.Stream)},
		field{"met", true, m.count(&s.Met)},
		field{"emitted", false, m.count(&s.Emitted)},
		field{"unchanged", false, m.count(&s.Unchanged)},
		field{"merged", false, m.count(&s.Merged)},
		field{"duplicate", false, m.count(&s.Duplicate)},
		field{"kept_back", false, m.count(&s.KeptBack)},
		field{"not_record", false, m.count(&s.NotRecord)},
		field{"outside", false, m.count(&s.Outside)},
		field{"cut", false, m.count(&s.Cut)},
		field{"unknown", false, each(m, abi.MaxAccountNames, &s.Unknown, func(n *abi.UnknownName) func(int) string {
			return m.object(false, field{"name", true, m.word(&n.Name)}, field{"count", true, m.count(&n.Count)})
		})},
	)
	return func(i int) string {
		rule := read(i)
		if rule == "" && !addsUp(s.Met, s.Emitted, s.Unchanged, s.Merged, s.Duplicate, s.KeptBack, s.NotRecord) {
			rule = "must have a met that is the sum of the others"
		}
		if rule == "" && s.Outside > s.NotRecord {
			rule = "must not have more outside the time range than are no records"
		}
		return rule
	}
}

// addsUp reports whether counts, none of which is negative, have the sum.
func addsUp(sum int64, counts ...int64) bool {
	for _, n := range counts {
		if n > sum {
			return false // the sum of them could overflow
		}
		sum -= n
	}
	return sum == 0
}
