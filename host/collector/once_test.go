package collector

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/tree"
)

// loads counts the modules that an engine loads.
type loads struct {
	slog.Handler
	n atomic.Int64
}

func (l *loads) Enabled(context.Context, slog.Level) bool { return true }

func (l *loads) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "plugin loaded" {
		l.n.Add(1)
	}
	return nil
}

// A run loads its module once, and asks it once what it is: what holds it against
// the machine, the lane and the host's cursors reads the same words. So does doctor.
func TestTheModuleIsDescribedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cache, err := tree.Cache()
	w.ok(err)
	count := &loads{Handler: slog.DiscardHandler}
	w.deps.Run.Engine, err = plugin.NewEngine(plugin.Options{Isolation: "inline", CacheDir: cache, Logger: slog.New(count)})
	w.ok(err)
	t.Cleanup(func() { w.ok(w.deps.Run.Engine.Close()) })
	w.host.state["notes"], w.host.state["of_another_version"] = json.RawMessage(`{"at":1}`), json.RawMessage(`{"at":2}`)
	w.script("") // accepts the module
	for range 2 {
		before := count.n.Load()
		res := w.run(`expect {"at":1}` + "\n" + done(0))
		w.same(res.Outcome, OutcomeComplete, "outcome")
		w.same(count.n.Load()-before, 1, "loads of a run")
	}
	s := w.open()
	state, _, err := s.ConfirmedState(t.Context())
	w.ok(err)
	w.ok(s.Close())
	w.same(len(state), 1, "cursors of the connector's own streams")

	before := count.n.Load()
	file := w.script("").Module
	for _, c := range w.collector().ModuleChecks(t.Context(), file, nil) {
		if c.Level != LevelOK {
			t.Errorf("%+v", c)
		}
	}
	w.same(count.n.Load()-before, 1, "loads of doctor")

	// One that cannot run here is refused for that, whatever else is missing.
	w.deps.Run.Roots = nowhere{}
	_, err = w.collector().Run(t.Context(), RunRequest{Module: rig.Guest(t, networked)})
	w.same(abi.CodeOf(err), abi.CodeBindingMissing, "code")
}
