package books

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// shelf is a folder of files, each of which is read and accounted for.
type shelf struct {
	root  *os.Root
	names []string
	rule  Rule
}

func newShelf(tb testing.TB, files int) *shelf {
	tb.Helper()
	dir := tb.TempDir()
	s := &shelf{
		names: make([]string, files),
		rule:  Rule{Ignores: []abi.Ignore{{Pattern: "*.tmp"}, {Pattern: "cache/"}, {Pattern: ".*"}, {Pattern: "settings.json"}}},
	}
	for i := range s.names {
		s.names[i] = fmt.Sprintf("%04d.jsonl", i)
		if err := os.WriteFile(dir+"/"+s.names[i], []byte("{}"), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = root.Close() })
	s.root = root
	return s
}

// keep does all that the books of one run do, the walk at the end included.
func (s *shelf) keep(tb testing.TB) {
	tb.Helper()
	books := New(s.rule, time.Now().Add(time.Hour))
	page := books.Root("r")
	page.Listed(len(s.names))
	for _, name := range s.names {
		page.Opened(name, nil)
		page.Ended(name)
		claim(books, name, abi.FileRead)
	}
	if r := books.Close(map[string]*os.Root{"r": s.root}, later); r.Roots[0].Whole != int64(len(s.names)) {
		tb.Fatalf("got %+v, want %d files read to their end", r.Roots, len(s.names))
	}
}

// BenchmarkBooks is everything that the books cost a run over a folder of 5,000 files (AC-16). With words, the
// owner has said of 128 files and by 128 patterns what may stay as it is, and every file is held against them.
func BenchmarkBooks(b *testing.B) {
	const words = 128 // of each form
	for _, owner := range []bool{false, true} {
		b.Run(fmt.Sprintf("words=%v", owner), func(b *testing.B) {
			s := newShelf(b, 5000)
			for i := range words {
				if owner {
					s.rule.Owners = append(s.rule.Owners, manifest.Word{Pattern: fmt.Sprintf("old-%d/*.jsonl", i)},
						manifest.AsItWas(manifest.FileState{Root: "r", Path: s.names[i], Size: 1}, s.names[i], []string{"damaged"}))
				}
			}
			for b.Loop() {
				s.keep(b)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(len(s.names)), "µs/file")
		})
	}
}

// AC-16: what the books cost grows with the files alone. A clock says little on a busy machine, so
// that what is allocated for a file is counted.
func TestTheBooksCostLittle(t *testing.T) { //nolint:paralleltest // it counts what the process allocates
	const most = 30
	few, many := newShelf(t, 100), newShelf(t, 800)
	perFile := func(s *shelf) float64 {
		return testing.AllocsPerRun(3, func() { s.keep(t) }) / float64(len(s.names))
	}
	a, b := perFile(few), perFile(many)
	if a > most || b > most || b > 2*a {
		t.Errorf("got %.1f allocations a file of 100 files, and %.1f of 800, want at most %d, and no growth", a, b, most)
	}
}
