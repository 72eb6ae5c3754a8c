package plugin

import (
	"path/filepath"
	"strconv"
	"testing"
)

// BenchmarkEmit is the transport alone: 64 KiB batches from a std Go guest to
// a Host that does nothing, in bytes of payload.
func BenchmarkEmit(b *testing.B) {
	for _, mode := range []string{IsolationProcess, IsolationInline} {
		b.Run(mode, func(b *testing.B) {
			f := goGuest(b, "plain")
			g := mustLoad(b, Options{Isolation: mode, Limits: Limits{OutputBytes: 1 << 50}}, f)
			h := &scripted{start: "emit " + strconv.Itoa(b.N)}
			b.SetBytes(65490)
			b.ReportAllocs()
			b.ResetTimer()
			if exit := g.Collect(b.Context(), Grant{}, h); exit.Err != nil {
				b.Fatal(exit.Err)
			}
		})
	}
}

// BenchmarkStart is one whole use of a cached module without a record: start a
// worker, load, describe, collect, end.
func BenchmarkStart(b *testing.B) {
	for _, name := range []string{"plain", "files"} {
		b.Run(name, func(b *testing.B) {
			f := goGuest(b, name)
			e, err := NewEngine(Options{CacheDir: filepath.Join(b.TempDir(), "cache")})
			if err != nil {
				b.Fatal(err)
			}
			defer e.Close() //nolint:errcheck // a benchmark
			once := func() {
				g, err := e.Load(b.Context(), f)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := g.Describe(b.Context()); err != nil {
					b.Fatal(err)
				}
				if exit := g.Collect(b.Context(), filesGrant(), &scripted{}); exit.Err != nil {
					b.Fatal(exit.Err)
				}
				if err := g.Close(); err != nil {
					b.Fatal(err)
				}
			}
			once()
			for b.Loop() {
				once()
			}
		})
	}
}
