package storage

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// AC-03: what an owner has said of a damaged file holds for that file alone, and without another run: a stream that is
// whole but for it is collected, also if no run before found it so. Another damaged file ends it, also if the run that
// met it did not look at all folders.
func TestOwnersSettleFilesAndNoOthers(t *testing.T) {
	t.Parallel()
	torn := func(o *Outcome) {
		o.KnownGaps = []byte(`[{"kind":"skip","stream":"b","severity":"actionable","reason":"torn","recovery_hint":"manual_action_required"}]`)
	}
	word := manifest.Word{Pattern: "/a.ics", Root: "r", For: []string{"torn"}}
	settled := tables.Amiss{Settled: []string{"torn"}}
	file := func(name string) tables.Amiss {
		return tables.Amiss{Files: []AmissFile{{Root: "r", Path: name, As: "damaged", Reason: "torn"}}}
	}
	whole := func(a tables.Amiss) func(*Outcome) {
		return func(o *Outcome) {
			torn(o)
			o.Books = &Books{BegunMS: 1, Amiss: a}
		}
	}
	x, c := kept(t, keptManifest)
	x.succeed(x.begin("c", allStreams), whole(file("a.ics")))
	x.tone("a damaged file", verdict.Amber)
	x.ok(x.s.Ignore(t.Context(), c.ID, func([]manifest.Word) []manifest.Word { return []manifest.Word{word} }, func(b Books, _ []manifest.Word) Books {
		b.Amiss = settled
		return b
	}))
	x.tone("its owner's word", verdict.Green)
	x.succeed(x.begin("c", allStreams), whole(settled))
	x.tone("the same again", verdict.Green)
	x.succeed(x.begin("c", onlyStream("b")), func(o *Outcome) {
		torn(o)
		o.Amiss = settled
	})
	x.tone("in a run of one stream", verdict.Green)
	x.succeed(x.begin("c", onlyStream("b")), func(o *Outcome) {
		torn(o)
		o.Amiss = file("b.ics")
	})
	x.tone("another file in a run of one stream", verdict.Amber)
	b, ignored, err := x.s.Books(t.Context(), c.ID)
	x.ok(err)
	x.same(ignored, []manifest.Word{word})
	x.same(b.Amiss.Files, file("b.ics").Files)
	x.same(len(b.Amiss.Settled), 0)
	x.succeed(x.begin("c", allStreams), whole(settled))
	x.succeed(x.begin("c", onlyStream("b")), func(o *Outcome) {
		torn(o)
		o.Amiss.Open = []string{"torn"}
	})
	x.tone("many files in a run of one stream", verdict.Amber)
	x.succeed(x.begin("c", allStreams), func(o *Outcome) {
		o.Books = &Books{BegunMS: 2, Over: []manifest.Word{word}}
	})
	_, ignored, err = x.s.Books(t.Context(), c.ID)
	x.ok(err)
	x.same(len(ignored), 0)
	x.sound()
}
