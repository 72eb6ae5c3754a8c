package storage

import (
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// The same refusal waits once, another beside it; and none is told while a run
// goes on, whose end the host would take it for.
func TestRefusalsWaitOnce(t *testing.T) {
	t.Parallel()
	x := newLane(t)
	refuse := func(id, code string) bool {
		t.Helper()
		queued, err := x.s.RefuseRun(t.Context(), Refusal{
			RunID: id, Connector: "scripted", Mode: abi.ModeIncremental, StartedAt: x.clock.Now(),
			Error: RunError{Code: code, Message: "nothing at /home/ana/x", RecoveryHint: "manual_action_required"},
		})
		if err != nil {
			t.Fatal(err)
		}
		return queued
	}
	for i, tc := range []struct {
		code string
		want bool
	}{{"plugin.unknown", true}, {"plugin.unknown", false}, {"files.root_missing", true}, {"plugin.unknown", false}} {
		if got := refuse("refused_"+string(rune('a'+i)), tc.code); got != tc.want {
			t.Errorf("%d %s: got queued %v, want %v", i, tc.code, got, tc.want)
		}
	}
	items, err := x.s.Claim(t.Context(), ClaimRequest{Holder: "h", Lease: time.Minute, Limit: 9})
	if err != nil || len(items) != 1 || !items[0].Refused || items[0].Kind != KindRunCommit || strings.Contains(string(items[0].Payload), "ana") {
		t.Fatalf("got %v %+v, want one refused end of a run without its names", err, items)
	}
	if err := x.s.Acknowledge(t.Context(), &items[0]); err != nil {
		t.Fatal(err)
	}
	if !refuse("refused_again", "plugin.unknown") {
		t.Error("one that comes after it was told is not told")
	}
	n, err := x.s.WaitingBytes(t.Context())
	if err != nil || n == 0 {
		t.Errorf("got %d bytes that wait, %v, want some", n, err)
	}
}
