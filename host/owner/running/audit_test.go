package running

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/story"
)

// OC-02: a run that was refused leaves its code with the connection that there is. An
// owner who was asked and did not accept leaves nothing, and so does a name that the store
// does not know.
func TestRefusedRunsAreAudited(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	store := story.Pinned(t, "../../..", t.TempDir())
	o := owner.New(owner.Deps{
		Now: time.Now, Logger: slog.New(slog.DiscardHandler), Actor: owner.Actor{Face: owner.CommandLine},
		Open: func(context.Context) (*storage.Store, error) { return store, nil },
	})
	if _, err := o.Store(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.Close() })
	busy := abi.NewError(abi.CodeConnectionBusy, "it runs", "wait")
	for _, c := range []struct {
		connection string
		refusal    error
		want       int
	}{
		{"mine", declined{modules.ErrNotAccepted}, 0},
		{"hunter2", busy, 0},
		{"mine", abi.NewError(abi.CodeInterrupted, "interrupted", ""), 0},
		{"mine", busy, 1},
	} {
		m := owner.TypedModule{Connector: "credentialed", Connection: c.connection}
		if err := refused(ctx, o, store, m, &Request{}, c.refusal); abi.CodeOf(err) != abi.CodeOf(c.refusal) {
			t.Errorf("%s: got %v, want %v", c.connection, err, c.refusal)
		}
		page, err := o.AuditEvents(ctx, owner.AuditQuery{Operation: operation})
		if err != nil || len(page.Events) != c.want {
			t.Fatalf("%s, %v: got events %+v, %v, want %d", c.connection, c.refusal, page, err, c.want)
		}
		if c.want > 0 && (page.Events[0].Subject != "mine" || page.Events[0].Outcome != string(abi.CodeConnectionBusy)) {
			t.Errorf("got %+v, want mine and %s", page.Events[0], abi.CodeConnectionBusy)
		}
	}
}
