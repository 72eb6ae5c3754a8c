package main

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/host/schedule"
)

// A refusal that a connection waits behind stands beside the reason.
func TestRefusalInAPass(t *testing.T) {
	t.Parallel()
	v := viewOnce(&schedule.Looked{Connection: "c", Reason: schedule.ReasonNotReady, Says: "no folder"})
	if got := v.row(); got[2] != "waits for its folder or its module: no folder" || v.failed {
		t.Error(got)
	}
}
