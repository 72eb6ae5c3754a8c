package collector

import (
	"strings"
	"testing"
)

// A lane tells its host which key a record had, in one record: the two can't be delivered apart.
func TestDeliversAnotherKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	w.run(`emit {"type":"RECORD","stream":"notes","key":"notes-1","moved_from":"é\"","data":{"id":"notes-1"},"emitted_at":"2026-02-03T04:05:06Z"}` + "\n" + done(1))
	if got := string(w.host.batches[w.host.order[0]].Records); !strings.Contains(got, `"moved_from":"é\""}]`) || strings.Contains(got, "delete") {
		t.Errorf("got %s, want one record, with the other key in it", got)
	}
}
