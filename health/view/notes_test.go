package view_test

import (
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
)

// HL-22.2: an unknown freshness is reported once: beside the forward statement, unless
// that reports it itself.
func TestUnknownFreshnessIsSaidOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		note, forward verdict.Code
		want          []string
	}{
		{"freshness_unknown", "complete_freshness_unknown", nil},
		{"freshness_unknown", "checking", []string{"said"}},
		{"stale_since", "complete_freshness_unknown", []string{"said"}},
		{"stale_since", "complete_held", []string{"said"}},
	} {
		b := view.Brief{ForwardCode: c.forward, Annotations: []verdict.Annotation{{Kind: "freshness", Code: c.note, Text: "said"}}}
		if got := b.Notes(); !slices.Equal(got, c.want) {
			t.Errorf("%s beside %s: %q, want slices.Equal(got, c.want)", c.note, c.forward, got)
		}
	}
}
