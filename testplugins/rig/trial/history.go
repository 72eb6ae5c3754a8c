package trial

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// History writes down what each of several runs did to the store, so that a connector that
// was built anew can be compared with the one before, record by record.
type History struct {
	text   strings.Builder
	stored sdktest.Store
}

// Add writes how a run ended, what it reported, its gaps, and each record that it changed, by stream
// and key.
func (h *History) Add(step string, res *sdktest.Result) {
	if h.stored == nil {
		h.stored = sdktest.Store{}
	}
	fmt.Fprintf(&h.text, "%s: %s", step, res.Done.Status)
	if e := res.Done.Error; e != nil {
		fmt.Fprintf(&h.text, " %s", e.Code)
	}
	skips := strings.Split(Skips(res), ",")
	slices.Sort(skips) // their order says nothing
	fmt.Fprintf(&h.text, " [%s]\n", strings.Join(skips, ","))
	for _, g := range res.Gaps {
		fmt.Fprintf(&h.text, "gap %s %s %s %s\n", g.Stream, g.RecordKey, g.Reason, g.LastError.Class)
	}
	for _, g := range res.GapOutcomes {
		fmt.Fprintf(&h.text, "%s %s\n", g.Type, g.Stream)
	}
	before := h.stored.Clone()
	h.stored.Apply(res)
	streams := maps.Clone(before)
	maps.Copy(streams, h.stored)
	for _, stream := range slices.Sorted(maps.Keys(streams)) {
		keys := maps.Clone(h.stored[stream])
		for key, rec := range before[stream] {
			if _, there := keys[key]; !there {
				rec.Data = nil
				keys[key] = rec
			}
		}
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if was, now := before[stream][key], keys[key]; !bytes.Equal(was.Data, now.Data) {
				fmt.Fprintf(&h.text, "%s %s %s\n", stream, key, now.Data)
			}
		}
	}
}

// String returns the history so far.
func (h *History) String() string { return h.text.String() }

// SameHistory compares two histories line by line, and shows the first that differs.
func SameHistory(t *testing.T, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		one, other := "the end", "the end"
		if i < len(g) {
			one = g[i]
		}
		if i < len(w) {
			other = w[i]
		}
		if one != other {
			t.Fatalf("line %d\n got %s\nwant %s", i+1, one, other)
		}
	}
}
