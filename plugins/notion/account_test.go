package main

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/notion"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// owned is a workspace of one bot. Workspaces with different numbers share no object.
func owned(number int, bot, name string) *workspace {
	w := newWorkspace(func(o *notion.Options) { o.Bot, o.Workspace = bot, name })
	for _, id := range w.pages(10 * number) {
		w.Unshare(id)
	}
	w.pages(3)
	w.AddDatabase("", "Tasks of "+name, nil)
	return w
}

func refused(t *testing.T, res *sdktest.Result) {
	t.Helper()
	trial.Refused(t, res, "notion_account_changed")
}

// The token of another workspace would mix its pages with the collected ones: the run
// is refused, whichever streams it is for, and the first token goes on.
func TestAnotherWorkspaceIsRefused(t *testing.T) {
	t.Parallel()
	for name, scope := range map[string][]string{"all": nil, "pages": {streamPages}, "databases": {streamDatabases}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mine, other := owned(0, "bot 1", "mine"), owned(1, "bot 2", "other")
			res := mine.Collect(t)
			next := res.SecondRun(t, func(o *sdktest.Options) { other.SignIn(o); o.Streams = scope })
			refused(t, next)
			if !maps.Equal(next.Committed(), res.Committed()) {
				t.Error("the cursors moved")
			}
			if again := mine.Again(t, res); len(again.Changes()) != 0 {
				t.Errorf("the first token: %d records, want 0", len(again.Changes()))
			}
		})
	}
}

// A new integration in the same workspace is the same account, and so is a bot whose
// workspace the API begins to name. A bot without a workspace is an account.
func TestSameWorkspace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, after [2]string // bot, workspace
		same          bool
	}{
		"another integration":       {[2]string{"bot 1", "mine"}, [2]string{"bot 2", "mine"}, true},
		"the workspace is named":    {[2]string{"bot 1", ""}, [2]string{"bot 1", "mine"}, true},
		"another, never named":      {[2]string{"bot 1", ""}, [2]string{"bot 2", ""}, false},
		"another, named by now":     {[2]string{"bot 1", ""}, [2]string{"bot 2", "mine"}, false},
		"the bot's other workspace": {[2]string{"bot 1", "mine"}, [2]string{"bot 2", "bot 1"}, false},
	} {
		first, second := owned(0, c.before[0], c.before[1]), owned(0, c.after[0], c.after[1])
		res := first.Collect(t)
		next := res.SecondRun(t, second.SignIn)
		if !c.same {
			refused(t, next)
			continue
		}
		schemas.Succeeded(t, next)
		// From here on the cursor remembers the workspace.
		third := owned(0, "bot 3", c.after[1])
		if next = next.SecondRun(t, third.SignIn); next.Done.Status != abi.DoneSucceeded {
			t.Errorf("%s: %+v, want next.Done.Status = %v", name, next.Done.Error, abi.DoneSucceeded)
		}
	}
}

// A cursor of before the account was remembered is anybody's, once.
func TestCursorOfNobody(t *testing.T) {
	t.Parallel()
	mine, other := owned(0, "bot 1", "mine"), owned(1, "bot 2", "other")
	res := mine.Collect(t)
	next := res.SecondRun(t, trial.WithoutAccount(t, res))
	schemas.Succeeded(t, next)
	if len(next.Changes()) != 0 {
		t.Errorf("%d records, want 0", len(next.Changes()))
	}
	refused(t, next.SecondRun(t, other.SignIn))
}

// A full refresh replaces one account with the other and buries every object that the
// new one lacks. It may be repeated after ending at any call, and until it is complete
// no other run mixes the two.
func TestFullRefreshOfAnotherWorkspace(t *testing.T) {
	t.Parallel()
	for stop := range 20 {
		t.Run(fmt.Sprint(stop), func(t *testing.T) {
			t.Parallel()
			mine, other := owned(0, "bot 1", "mine"), owned(1, "bot 2", "other")
			there := newStore(t, other)
			stored := sdktest.Store{}
			res := mine.Collect(t)
			stored.Apply(res)
			res = res.SecondRun(t, func(o *sdktest.Options) { other.SignIn(o); trial.FullRefresh(o); o.StopAfter = stop })
			stored.Apply(res)
			if stop == 0 {
				schemas.Succeeded(t, res)
				if len(deleted(res)) != 4 || stored.Differs(there) != "" {
					t.Fatalf("deleted %v, stored %v, want len(deleted(res)) = 4 and stored.Differs(there) = \"\"", deleted(res), stored)
				}
			}
			next := res.SecondRun(t, trial.Incremental)
			if e := next.Done.Error; e != nil {
				refused(t, next)
				next = res.SecondRun(t, trial.FullRefresh)
			}
			stored.Apply(next)
			other.Pass(25 * time.Hour)
			next = other.After(t, next)
			stored.Apply(next)
			if stored.Differs(there) != "" {
				t.Errorf("stored %v, there are %v, want stored.Differs(there) = \"\"", stored, there)
			}
		})
	}
}

// Without an answer to whose token it is, nothing is collected.
func TestAccountIsNotKnown(t *testing.T) {
	t.Parallel()
	for code, f := range map[string]fault.Fault{
		"send.attempts_exhausted":   fault.Status(500, ""),
		"notion_rate_limited":       fault.Throttle("7"),
		"notion_auth_failed":        fault.Status(401, `{"object":"error"}`),
		"notion_http_403":           fault.Status(403, `{"object":"error"}`),
		"notion_malformed_response": fault.Replace(`"id":`, `"name":`),
	} {
		w := owned(0, "bot 1", "mine")
		w.Faults.Add(fault.Rule{Match: fault.Path("/v1/users/me"), Fault: f})
		res := w.Failing(t)
		if e := res.Done.Error; e == nil || e.Code != code || len(res.Changes())+len(res.States) != 0 || len(res.Requests) != 1 {
			t.Errorf("%s: %+v, %d records, want this code after 1 request, and nothing emitted", code, e, len(res.Changes()))
		}
		if next := w.Again(t, res); len(records(next, streamPages)) != 3 {
			t.Errorf("%s: then %d pages, want 3", code, len(records(next, streamPages)))
		}
	}
}
