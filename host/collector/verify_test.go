package collector

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

// rebuilt is the scripted guest with other bytes.
func (w *world) rebuilt() *plugin.File {
	w.Helper()
	path := filepath.Join(w.TempDir(), "scripted.wasm")
	w.ok(os.WriteFile(path, append(append([]byte{}, rig.Guest(w, scripted).Bytes...), 0, 2, 1, 'x'), 0o600)) // a section of no meaning
	other, err := plugin.Open(path, 64<<20)
	w.ok(err)
	return other
}

// A changed module is refused with the command of this machine that shows what
// changed and accepts it; looking changes nothing.
func TestAChangedModuleIsAccepted(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	text, err := os.ReadFile("../../testplugins/guests/scripted/manifest.json")
	w.ok(err)
	m, err := manifest.Parse(text)
	w.ok(err)
	file := rig.Guest(t, scripted)
	verify := func(sha string, accept bool, want string) *Verified {
		t.Helper()
		v, err := w.collector().Verify(t.Context(), m, sha, text, accept)
		w.ok(err)
		w.same(v.State, want, "state")
		return v
	}
	verify(file.SHA256, true, ModuleNotPinned)
	w.same(w.folder(), "", "the lane's folder")
	w.run(done(0))
	verify(file.SHA256, false, ModuleSame)

	other := w.rebuilt()
	req := w.script(done(0))
	req.Module = other
	_, err = w.collector().Run(t.Context(), req)
	p := problem(err)
	if p.Code != string(abi.CodePluginChanged) || !strings.Contains(p.Hint, "pdpp-local-collector connectors verify --source-instance-id src_1 ") ||
		strings.Contains(p.Hint, "pdpp-host") {
		t.Errorf("%+v", p)
	}
	before := w.folder()
	v := verify(other.SHA256, false, ModuleChanged)
	w.same(w.folder(), before, "the lane's folder")
	if v.Pinned != file.SHA256 || v.Found != other.SHA256 || len(v.PinnedManifest) == 0 {
		t.Errorf("%+v", v)
	}
	foreign := *m
	foreign.ConnectorKey, foreign.ConnectorID = "other", "other"
	if _, err := w.collector().Verify(t.Context(), &foreign, other.SHA256, text, true); abi.CodeOf(err) != abi.CodeConnectionInvalid {
		t.Errorf("another connector: %v", err)
	}
	verify(other.SHA256, true, ModuleAccepted)
	verify(other.SHA256, false, ModuleSame)
	res, err := w.collector().Run(t.Context(), req)
	w.ok(err)
	w.same(res.Outcome, OutcomeComplete, "outcome")
}
