package verdict

import "testing"

// A client sees the age of the data, but not the event that ends its staleness.
func TestAgeAlone(t *testing.T) {
	t.Parallel()
	for l, want := range map[line]string{
		staleManual: "Last refreshed 3 days ago.", staleScheduled: "Last refreshed 3 days ago.", staleSince: "Last refreshed 3 days ago.",
		staleManualUnknownAge: staleUnknownAge.text(), staleScheduledUnknownAge: staleUnknownAge.text(), staleUnknownAge: staleUnknownAge.text(),
		lastSuccessfulRefresh: "Last successful refresh 3 days ago.", freshnessUnknown: freshnessUnknown.text(), nothingCollected: nothingCollected.text(),
	} {
		a := freshness(l, "3 days ago")[0]
		got := withoutRemedy(&a)
		if got.Text != want || got.Kind != a.Kind || lines[got.Code].fill("3 days ago") != got.Text {
			t.Errorf(`%q became %+v, want got.Text == want && got.Kind == a.Kind && lines[got.Code].with("3 days ago") == got.Text`, a.Text, got)
		}
	}
}
