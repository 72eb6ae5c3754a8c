package books

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// BenchmarkBooks is everything that the books cost a run over a folder of 5,000 files, each of
// which is read and accounted for, the walk at the end included (AC-16).
func BenchmarkBooks(b *testing.B) {
	const files = 5000
	dir := b.TempDir()
	names := make([]string, files)
	for i := range names {
		names[i] = fmt.Sprintf("%04d.jsonl", i)
		if err := os.WriteFile(dir+"/"+names[i], []byte("{}"), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = root.Close() })
	rule := Rule{Ignores: []abi.Ignore{{Pattern: "*.tmp"}, {Pattern: "cache/"}, {Pattern: ".*"}, {Pattern: "settings.json"}}}
	for b.Loop() {
		books := New(rule, time.Now().Add(time.Hour))
		page := books.Root("r")
		page.Listed(files)
		for _, name := range names {
			page.Opened(name, nil)
			page.Ended(name)
			claim(books, name, abi.FileRead)
		}
		if r := books.Close(map[string]*os.Root{"r": root}, later); r.Roots[0].Whole != files {
			b.Fatalf("got %+v, want %d files read to their end", r.Roots, files)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/files, "µs/file")
}
