package run

import "testing"

// A provider's sentence is one line with single spaces.
func TestOneLine(t *testing.T) {
	t.Parallel()
	if got, want := oneLine(" a  b\r\n\tc\u00a0\x1bd "), "a b c d"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A result lists a thousand of a run's gaps and counts all.
func TestResultCountsWhatItDoesNotList(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	res := h.mustPlay(`repeat 1500 gap {"type":"DETAIL_GAP","stream":"messages","parent_stream":"chats","record_key":"m#","reason":"retry_exhausted",` +
		`"retryable":true,"status":"pending","detail_locator":{}}` + "\n" + done(0))
	var open int64
	for _, g := range res.OpenGaps {
		open += g.Count
	}
	if len(res.Gaps) != 1000 || res.GapsFound != 1500 || open != 1500 {
		t.Errorf("%d of %d gaps are listed and %d open, want 1000 of 1500 and 1500", len(res.Gaps), res.GapsFound, open)
	}
}
