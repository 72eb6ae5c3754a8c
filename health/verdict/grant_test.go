package verdict

import "testing"

// What ends the staleness is the owner's to know; how old the data is, is not.
func TestAgeAlone(t *testing.T) {
	t.Parallel()
	for l, want := range map[line]string{
		staleManual: "Last refreshed 3 days ago.", staleScheduled: "Last refreshed 3 days ago.", staleSince: "Last refreshed 3 days ago.",
		staleManualUnknownAge: staleUnknownAge.text(), staleScheduledUnknownAge: staleUnknownAge.text(), staleUnknownAge: staleUnknownAge.text(),
		lastSuccessfulRefresh: "Last successful refresh 3 days ago.", freshnessUnknown: freshnessUnknown.text(), nothingCollected: nothingCollected.text(),
	} {
		a := freshness(l, "3 days ago")[0]
		got := ageAlone(&a)
		if got.Text != want || got.Kind != a.Kind || lines[got.Code].with("3 days ago") != got.Text {
			t.Errorf("%q became %+v", a.Text, got)
		}
	}
}
