package collector

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
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
	verify(file.SHA256, false, ModuleNotPinned)
	if _, err := w.collector().Verify(t.Context(), m, file.SHA256, text, true); abi.CodeOf(err) != abi.CodePluginNotAccepted {
		t.Errorf("accepted a first module: %v, want %s", err, abi.CodePluginNotAccepted)
	}
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

// A lane runs no module that its owner has not accepted: the refusal names the command that
// accepts it, on this machine and at the host. An item accepted by name opens its folder, and
// another module has to be accepted anew.
func TestAcceptedBeforeTheFirstScan(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(d *Deps) { d.Run.Roots = secretFolder{} }).guest()
	w.unaccepted = true
	refused := func(module *plugin.File, code abi.Code, hint string) {
		t.Helper()
		req := w.script(records("notes", 0, 1) + done(1))
		req.Module = module
		_, err := w.collector().Run(t.Context(), req)
		p := problem(err)
		if p.Code != string(code) || !strings.Contains(p.Hint, hint) || strings.Contains(p.Hint, "pdpp-host") {
			t.Errorf("got %+v, want %s with a hint of %q", p, code, hint)
		}
		w.same(w.host.keys("notes"), "[]", "records at the host")
	}
	const accept = "pdpp-local-collector connectors accept --source-instance-id src_1"
	file := rig.Guest(t, scripted)
	refused(file, abi.CodePluginNotAccepted, accept)
	if n := len(w.host.commits); n != 1 || w.host.commits[0].Outcome.Reason != "run_refused" {
		t.Errorf("got %d ends of runs at the host, %+v, want the refused one", n, w.host.commits)
	}
	check := func(name, level string) {
		t.Helper()
		for _, c := range w.collector().ModuleChecks(t.Context(), file, nil) {
			if c.Name == name {
				w.same(c.Level, level, "doctor's "+name)
				return
			}
		}
		t.Errorf("doctor lacks %s", name)
	}
	check("accepted", LevelCritical)
	w.accept(file)
	check("accepted", LevelOK)
	check("folders", LevelCritical)
	refused(file, abi.CodeRootSecret, accept+" --allow folder=~/.ssh")
	w.accept(file, storage.AcceptedItem{Kind: storage.AcceptFolder, Name: "~/.ssh"})
	w.accept(file) // what was accepted by name stays
	check("folders", LevelOK)
	refused(w.rebuilt(), abi.CodePluginChanged, "pdpp-local-collector connectors verify")
	w.run(records("notes", 0, 1) + done(1))
	w.same(w.host.keys("notes"), "[notes-0]", "records at the host")
}

// secretFolder is a folder that is granted once its owner has accepted ~/.ssh by name.
type secretFolder struct{}

func (secretFolder) Resolve(_ *abi.Manifest, _ map[string]string, accepted []storage.AcceptedItem) ([]run.ResolvedRoot, error) {
	if len(accepted) == 0 {
		return nil, abi.NewError(abi.CodeRootSecret, "the folder has secrets in it", "if it is meant: pdpp-host plugins accept CONNECTOR --allow folder=~/.ssh")
	}
	return nil, nil
}
