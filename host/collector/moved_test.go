package collector

import (
	"strings"
	"testing"
)

// A lane tells its host which key a record has now.
func TestDeliversAnotherKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	w.run(`emit {"type":"RECORD","stream":"notes","key":"notes-1","op":"delete","moved_to":"é\"","emitted_at":"2026-02-03T04:05:06Z"}` + "\n" + done(1))
	if got := string(w.host.batches[w.host.order[0]].Records); !strings.Contains(got, `"op":"delete","moved_to":"é\""`) {
		t.Errorf("got %s, want the other key in it", got)
	}
}
