package main

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/reddit"
)

// AC-11, AC-12: a page that turns the network away ends the run, says so in Reddit's own words, and
// asks the owner; nothing is deleted.
func TestBlocked(t *testing.T) {
	t.Parallel()
	a := furnished(3, func(o *reddit.Options) { o.Blocked = true })
	res := a.Failing(t)
	e := res.Done.Error
	if e == nil || e.Code != blocked || string(e.RecoveryHint) != `"manual_action_required"` || !strings.Contains(e.Message, "Your request has been blocked due to a network policy.") || len(res.Requests) != 1 {
		t.Errorf("got %+v after %d requests, want %s with Reddit's words after one", e, len(res.Requests), blocked)
	}
}
