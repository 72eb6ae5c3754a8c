package dev

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/testplugins/contract"
)

// stateFolder is where rounds keep what they need, in the folder of the source.
const stateFolder = ".pdpp-dev"

// exeSuffix ends the name of a program.
var exeSuffix = map[string]string{"windows": ".exe"}[runtime.GOOS]

// Options says what a round does.
type Options struct {
	Dir       string            // the connector's source
	Program   string            // the pdpp-host that runs the module
	Roots     map[string]string // folders to grant, by root
	Set       map[string]string // options of the connector
	Recording string            // replayed in place of a run; "": none
	Serve     string            // the package of a simulated service, as `go build` takes it; "": none
	TinyGo    bool
}

// Round is what came of one build.
type Round struct {
	Module   string        `json:"module"`
	Bytes    int64         `json:"bytes"`
	Took     time.Duration `json:"-"`                 // of the build
	Said     string        `json:"said"`              // the host's own sentence about the run or the replay
	Streams  []*Stream     `json:"streams,omitempty"` // in the order of their names
	Gaps     []Gap         `json:"gaps,omitempty"`
	Again    int64         `json:"again"`    // records that a second run over the same sent again
	Unsteady int64         `json:"unsteady"` // of these, what was new, changed or deleted
	// Places are those of the service's lists that no page had, and which the connector lets be
	// missing.
	Places []string `json:"places,omitempty"`
}

// Gap is what a run did not collect.
type Gap struct {
	Stream  string `json:"stream"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// envelope is the last line that a command of the host writes.
type envelope struct {
	Summary string          `json:"summary"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    abi.Code `json:"code"`
		Message string   `json:"message"`
		Hint    string   `json:"hint"`
	} `json:"error"`
}

// ran is the result of `run`.
type ran struct {
	Connection string `json:"connection"`
	Records    map[string]struct {
		New       int64 `json:"new"`
		Changed   int64 `json:"changed"`
		Deleted   int64 `json:"deleted"`
		Unchanged int64 `json:"unchanged"`
	} `json:"records"`
	Gaps []Gap `json:"gaps"`
}

// Do makes one round. Its error is what the author has to mend, and the round before stays
// what the next one is compared with.
func Do(ctx context.Context, o Options) (r *Round, err error) {
	defer func() { // a program that was ended with the round has no fault
		if err != nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
	}()
	name := ModuleName(o.Dir)
	if name == "" {
		return nil, abi.NewError(abi.CodeUsage, "the folder has no manifest.json with a connector_key", "name the folder of a connector's source; `plugins new` writes one").WithDetail(o.Dir)
	}
	state := filepath.Join(o.Dir, stateFolder)
	for _, dir := range []string{state, filepath.Join(state, "data")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	// The folder is nobody's source: git leaves it out by itself.
	if err := os.WriteFile(filepath.Join(state, ".gitignore"), []byte("*\n"), 0o600); err != nil {
		return nil, err
	}
	r = &Round{Module: filepath.Join(state, name+".wasm")}
	began := time.Now()
	if err = build(ctx, o.Dir, r.Module, o.TinyGo); err != nil {
		return nil, err
	}
	r.Took = time.Since(began)
	if info, err := os.Stat(r.Module); err == nil {
		r.Bytes = info.Size()
	}
	h := host{Options: o, state: state, environ: ownEnviron(os.Environ())}
	if o.Recording != "" {
		r.Said, err = h.call(ctx, nil, "plugin", "replay", o.Recording, r.Module, "--any-module")
		return r, err
	}
	if o.Serve != "" {
		s, err := simulate(ctx, o.Dir, o.Serve)
		if err != nil {
			return r, err
		}
		defer s.stop()
		h.environ = append(h.environ, s.environ...)
		h.Set = maps.Clone(o.Set)
		if h.Set == nil {
			h.Set = map[string]string{}
		}
		maps.Copy(h.Set, s.options)
	}
	return r, h.collect(ctx, r)
}

// host runs a module in a data folder of its own.
type host struct {
	Options

	state   string
	environ []string
	heard   func(line string) // gets what the module writes to its log; nil: nobody listens
}

// collect runs the module from nothing, once more, and compares its records with those of the
// round before.
func (h *host) collect(ctx context.Context, r *Round) error {
	if err := h.empty(); err != nil {
		return err
	}
	args := []string{"run", r.Module, "--accept", "--no-input"}
	for _, name := range slices.Sorted(maps.Keys(h.Roots)) {
		args = append(args, "--root", name+"="+h.Roots[name])
	}
	for _, name := range slices.Sorted(maps.Keys(h.Set)) {
		args = append(args, "--set", name+"="+h.Set[name])
	}
	var first, again ran
	var failed error
	h.heard = func(line string) { r.Places = append(r.Places, contract.Places(line)...) }
	r.Said, failed = h.call(ctx, &first, args...)
	if h.heard = nil; first.Connection == "" {
		return failed
	}
	r.Gaps = first.Gaps
	if failed == nil {
		if _, err := h.call(ctx, &again, args...); err != nil {
			return err
		}
		for _, s := range again.Records {
			r.Again += s.New + s.Changed + s.Deleted + s.Unchanged
			r.Unsteady += s.New + s.Changed + s.Deleted
		}
	}
	next, last := filepath.Join(h.state, "next"), filepath.Join(h.state, "last")
	if err := os.RemoveAll(next); err != nil {
		return errors.Join(failed, err)
	}
	_, err := h.call(ctx, nil, "records", "export", first.Connection, "--output", next, "--yes")
	if err != nil {
		return errors.Join(failed, err)
	}
	if r.Streams, err = compare(last, next); err != nil || failed != nil {
		return errors.Join(failed, err) // the records of a whole run are what the next round is compared with
	}
	return errors.Join(os.RemoveAll(last), os.Rename(next, last))
}

// empty leaves the compiled modules in the data folder, and nothing else.
func (h *host) empty() error {
	data := filepath.Join(h.state, "data")
	entries, err := os.ReadDir(data)
	for _, e := range entries {
		if e.Name() != "cache" {
			err = errors.Join(err, os.RemoveAll(filepath.Join(data, e.Name())))
		}
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(h.state, "pdpp.yaml"), nil, 0o600)
}

// call runs a command of the host. It returns its summary, and its error as the host told it.
func (h *host) call(ctx context.Context, result any, args ...string) (summary string, err error) {
	if h.heard != nil {
		args = append([]string{"--log-level", "debug", "--log-format", "json"}, args...)
	}
	args = append([]string{"--config", filepath.Join(h.state, "pdpp.yaml"), "--data-dir", filepath.Join(h.state, "data"), "--json", "--quiet"}, args...)
	cmd := exec.CommandContext(ctx, h.Program, args...) //nolint:gosec // this program
	cmd.Env, cmd.WaitDelay = h.environ, 10*time.Second
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err = cmd.Run()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	h.listen(said.Bytes())
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	var e envelope
	if bad := json.Unmarshal(lines[len(lines)-1], &e); bad != nil {
		return "", abi.NewError(abi.CodeInternal, "the host that runs the module ended without a result", "see the detail").
			WithDetail(shown(said.Bytes())).Wrap(errors.Join(err, bad))
	}
	if result != nil && len(e.Result) > 0 {
		if err := json.Unmarshal(e.Result, result); err != nil {
			return e.Summary, err
		}
	}
	if e.Error != nil {
		return e.Summary, abi.NewError(e.Error.Code, e.Error.Message, e.Error.Hint)
	}
	return e.Summary, nil
}

// listen hands over what the module wrote to its log, which the host's own log has.
func (h *host) listen(log []byte) {
	for line := range bytes.Lines(log) {
		var entry struct {
			Text string `json:"text"`
		}
		if h.heard != nil && json.Unmarshal(line, &entry) == nil && entry.Text != "" {
			h.heard(entry.Text)
		}
	}
}

// ownEnviron leaves out what configures an owner's host: a round has a configuration, a data
// folder and a store of its own. Variables of connectors stay.
func ownEnviron(environ []string) []string {
	ours := map[string]bool{}
	for _, key := range config.Keys() {
		ours[config.EnvName(key)] = true
	}
	return slices.DeleteFunc(slices.Clone(environ), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return ours[name]
	})
}

// keyOf returns the connector_key of a manifest, else "".
func keyOf(manifest []byte) string {
	var m struct {
		Key string `json:"connector_key"`
	}
	if json.Unmarshal(manifest, &m) != nil || m.Key != filepath.Base(m.Key) || m.Key == "." {
		return ""
	}
	return m.Key
}
