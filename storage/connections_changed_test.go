package storage

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// HL-21: a refusal that the owner has put right by changing the connection waits for
// its owner no more, however often it was met; one that changed nothing stands, and
// what else was kept does.
func TestAChangeEndsRefusals(t *testing.T) {
	t.Parallel()
	const origin = ":origin"
	for name, put := range map[string]func(c *Connection){
		"options": func(c *Connection) { c.Options["base_url"] = "https://a.example" }, "roots": func(c *Connection) { c.Roots["a"] = "/a" },
		"read roots": func(c *Connection) { c.ReadRoots[origin] = "https://a.example" }, "": func(*Connection) {},
	} {
		x, c := kept(t, keptManifest)
		ctx := t.Context()
		x.ok(x.s.AdoptSchedule(ctx, c.ID))
		refuse := func(code string) {
			x.ok(x.s.RecordRefusal(ctx, Dispatch{ConnectionID: c.ID, Reason: code, AfterRun: x.newestRun(c)}))
		}
		refuse("usage.invalid") // and a run began since
		x.succeed(x.begin("c", allStreams), nil)
		_, err := x.s.RecordDispatch(ctx, Dispatch{ConnectionID: c.ID, Status: "skipped", Reason: "policy_paused", AfterRun: x.newestRun(c)})
		x.ok(err)
		for range 7 {
			refuse("connection.origin_changed")
		}
		other := x.connection("other")
		x.ok(x.s.RecordRefusal(ctx, Dispatch{ConnectionID: other.ID, Reason: "connection.origin_changed"}))
		if v := x.verdict("c"); v.Channel != verdict.Attention {
			t.Fatalf("refused: got %+v %s, want attention", v.Pill, v.Channel)
		}
		x.ok(x.s.UpdateConnection(ctx, *c)) // nothing changes
		if h := x.scheduleState(c.ID).Held; h == nil || h.Count != 7 {
			t.Errorf("%s: as it was: got held by %+v, want by the seventh of one refusal", name, h)
		}
		_, err = x.s.KeepConnection(ctx, c.ID, func(own *Connection) error {
			put(own)
			return nil
		})
		x.ok(err)
		x.sound()
		state := x.scheduleState(c.ID)
		if name == "" {
			if state.Held == nil || state.Held.Holds != stored.HeldForOwner || len(state.Dispatches) != 3 {
				t.Errorf("nothing changed: got %+v of %d dispatches, want a hold for the owner, of 3", state.Held, len(state.Dispatches))
			}
			continue
		}
		if state.Held != nil || len(state.Dispatches) != 2 || state.Dispatches[0].Reason != "policy_paused" || state.Dispatches[1].Reason != "usage.invalid" {
			t.Errorf("%s: got held by %+v, kept %+v, want not held, and policy_paused and usage.invalid kept", name, state.Held, state.Dispatches)
		}
		x.tone(name, verdict.Green)
		if x.scheduleState(other.ID).Held == nil {
			t.Errorf("%s: the other connection is held no more", name)
		}
	}
}
