package collector

import (
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

// folders grants what a run is told, and remembers it.
type folders struct{ given map[string]string }

func (f *folders) Resolve(_ *abi.Manifest, given map[string]string, _ []storage.AcceptedItem) ([]run.ResolvedRoot, error) {
	f.given = maps.Clone(given)
	var out []run.ResolvedRoot
	for name, path := range given {
		out = append(out, run.ResolvedRoot{Name: name, Path: path})
	}
	return out, nil
}

// The lane keeps the folders and options that a run was given, for runs that are given none,
// as a timer's or a recovery's; another folder is refused, and not kept.
func TestRunsKeepWhatTheyWereTold(t *testing.T) {
	t.Parallel()
	f := &folders{}
	w := newWorld(t, func(d *Deps) { d.Run.Roots = f }).guest()
	one, other := t.TempDir(), t.TempDir()
	req := w.script(records("notes", 0, 2) + done(2))
	req.Roots = map[string]string{"scripted": one}
	res, err := w.collector().Run(t.Context(), req)
	w.ok(err)
	w.same(res.Outcome, OutcomeComplete, "outcome")

	plain := RunRequest{Module: req.Module}
	again := func(r RunRequest, want string) {
		t.Helper()
		f.given = nil
		if _, err := w.collector().Run(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		w.same(f.given["scripted"], want, "what is read")
	}
	again(plain, one)
	batches := len(w.host.order)
	recovered, err := w.collector().Recover(t.Context(), RecoverRequest{Apply: true, Run: plain})
	w.ok(err)
	w.same(recovered.Run.Outcome, OutcomeComplete, "outcome of the recovery")
	w.same(len(w.host.order), batches+1, "batches once the kept script ran again")

	moved := RunRequest{Module: req.Module, Roots: map[string]string{"scripted": other}}
	if _, err := w.collector().Run(t.Context(), moved); abi.CodeOf(err) != abi.CodeRootChanged {
		t.Errorf("another folder: %v", err)
	}
	again(plain, one)
	moved.AcceptRoot = true
	again(moved, other)
	again(plain, other)

	// An empty value forgets.
	again(RunRequest{Module: req.Module, Options: map[string]string{"script": ""}}, other)
	s := w.open()
	conn, err := s.Connection(t.Context(), "scripted")
	w.ok(err)
	w.ok(s.Close())
	w.same(len(conn.Options), 0, "options kept")
}

// Setting up keeps folders before there is a run, and nothing where nothing is
// told; what is refused is not kept.
func TestKeepBeforeTheFirstRun(t *testing.T) {
	t.Parallel()
	f := &folders{}
	w := newWorld(t, func(d *Deps) { d.Run.Roots = f }).guest()
	text, err := os.ReadFile("../../testplugins/guests/scripted/manifest.json")
	w.ok(err)
	m, err := manifest.Parse(text)
	w.ok(err)
	w.ok(w.collector().Keep(t.Context(), m, nil, map[string]string{}))
	w.same(w.folder(), "", "the lane's folder")

	foreign := *m
	foreign.ConnectorKey, foreign.ConnectorID = "other", "other"
	roots := map[string]string{"scripted": t.TempDir()}
	w.same(problem(w.collector().Keep(t.Context(), &foreign, roots, nil)).Code, abi.CodeConnectionInvalid, "another connector")
	secret := *m
	secret.Setup.CredentialCapture = &abi.CredentialCapture{Fields: []abi.CredentialField{{Name: "password"}}}
	err = w.collector().Keep(t.Context(), &secret, roots, map[string]string{"password": "s3cret"})
	w.same(problem(err).Code, abi.CodeUsage, "a secret")
	if strings.Contains(everywhere(err), "s3cret") {
		t.Error("the error repeats it")
	}
	w.same(w.folder(), "", "the lane's folder")

	w.ok(w.collector().Keep(t.Context(), m, roots, map[string]string{"script": records("notes", 0, 1) + done(1)}))
	w.accept(rig.Guest(t, scripted))
	res, err := w.collector().Run(t.Context(), RunRequest{Module: rig.Guest(t, scripted)})
	w.ok(err)
	w.same(res.Outcome, OutcomeComplete, "outcome")
	w.same(w.host.keys("notes"), "[notes-0]", "records at the host")
	w.same(f.given["scripted"], roots["scripted"], "what is read")
}
