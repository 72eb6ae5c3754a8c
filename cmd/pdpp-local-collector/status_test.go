package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/collector"
	"github.com/pdpp-host/pdpp-host/storage"
)

// LC-07.1: a run that has not ended goes on, or was cut off with nothing left in the
// outbox: neither is a source that is idle, and what is worse is said in its place.
func TestARunThatHasNotEndedIsNotIdle(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]string{
		storage.LaneHealthyIdle: "Run not ended", storage.LaneCoverageMissing: "Run not ended", storage.LaneDraining: "Work waits",
		storage.LaneRetryableBacklog: "Waiting to try again", storage.LaneDeadLetter: "Blocked", storage.LaneStaleLease: "Cut off",
	} {
		s := &collector.Status{LifecycleState: state, Last: &collector.LastRun{RunID: "run_1", Status: storage.StatusRunning}}
		if tone, word := standing(s); word != want || tone == "green" {
			t.Errorf("%s: %s %q", state, tone, word)
		}
		var out bytes.Buffer
		newApp().writeStatus(&out, s)
		if told := strings.Contains(out.String(), "a run goes on, or was cut off: the next one takes over"); told != (want == "Run not ended") {
			t.Errorf("%s: %s", state, out.String())
		}
	}
	s := &collector.Status{LifecycleState: storage.LaneHealthyIdle, Last: &collector.LastRun{RunID: "run_1", Status: "succeeded"}}
	if tone, word := standing(s); tone != "green" || word != "Idle" {
		t.Errorf("%s %q", tone, word)
	}
}
