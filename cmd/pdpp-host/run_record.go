package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/cmd/internal/outcome"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/replay"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// recording is the recording that `run --record` makes; nil without it.
type recording struct {
	path     string
	module   string // its path, where the plugins folder's is not the one that ran
	recorder *replay.Recorder
	closed   bool
	broken   error // why it is not whole, once it is closed
}

// startRecording makes the file, so that a run which cannot be recorded does not
// begin.
func (a *app) startRecording(path, mode string) (*recording, error) {
	if path == "" {
		return nil, nil //nolint:nilnil // no recording is no error
	}
	o := replay.Options{Mode: mode, Start: a.Now().Truncate(time.Second), Paced: true}
	if _, err := io.ReadFull(a.Random, o.Seed[:]); err != nil {
		return nil, err
	}
	r, err := replay.Create(path, o)
	if err != nil {
		return nil, err
	}
	return &recording{path: path, recorder: r}, nil
}

// attach puts the recorder between the guest and the run, and hides every secret
// of the connection from it (Invariant 5).
func (r *recording) attach(d *run.Deps) {
	if r == nil {
		return
	}
	d.Collect = r.recorder.Collect
	if d.Roots != nil {
		d.Roots = noRoots{d.Roots}
	}
	if open := d.Secrets; open != nil {
		d.Secrets = func(ctx context.Context, conn *storage.Connection, m *abi.Manifest) (run.Secrets, error) {
			s, err := open(ctx, conn, m)
			if err != nil || s == nil {
				return s, err
			}
			return hideSecrets(ctx, s, manifest.Credentials(m), r.recorder.Hide)
		}
	}
}

// close ends the recording; the error says why it is not whole.
func (r *recording) close() error {
	if r == nil {
		return nil
	}
	if !r.closed {
		r.closed, r.broken = true, r.recorder.Close()
	}
	return r.broken
}

// tellRecorded is tell, for a run with a recording. One that was asked for and is
// not whole fails a run that succeeded; what was collected stays.
func (a *app) tellRecorded(ended runResult, r *recording, broken error) error {
	if r == nil {
		return a.tell(ended)
	}
	if broken != nil && ended.Status == run.StatusSucceeded {
		text := func(w io.Writer) { outcome.Write(w, a.Printer.Style, ended.Result, "", a.Advice) }
		if err := a.Printer.Failed(outcome.Summary(ended.Result), ended, broken, text); err != nil {
			return err
		}
		return broken
	}
	err := a.tell(ended)
	requests, answers, size := r.recorder.Counts()
	switch {
	case broken != nil:
		fmt.Fprintf(a.Err, "%s %s: %s   [%s]\n", a.Printer.ErrStyle.Yellow("warning:"), output.Clean(r.path),
			output.Clean(output.Typed(broken).Message), output.Typed(broken).Code)
	case !a.Flags.Quiet && !a.Printer.JSON:
		fmt.Fprintf(a.Err, "recorded to %s: %s, %s, %s    replay it with: %s\n", output.Clean(r.path),
			output.Plural(int64(requests), "request"), output.Plural(int64(answers), "answer"), output.Bytes(size), a.Advice(r.replayedBy()))
	}
	return err
}

// replayedBy is the command that replays the recording.
func (r *recording) replayedBy() string {
	path := r.path
	if strings.HasPrefix(path, "-") {
		path = "./" + path // or it would be a flag
	}
	command := "pdpp-host plugin replay " + quoted(path)
	if r.module != "" {
		command += " " + quoted(r.module)
	}
	return command
}

// noRoots refuses a run that would be granted folders, before it begins.
type noRoots struct{ run.RootResolver }

// Resolve implements run.RootResolver.
func (n noRoots) Resolve(m *abi.Manifest, given map[string]string, accepted []storage.AcceptedItem) ([]run.ResolvedRoot, error) {
	roots, err := n.RootResolver.Resolve(m, given, accepted)
	if err == nil && len(roots) > 0 {
		return nil, replay.FilesGranted()
	}
	return roots, err
}

// hiddenSecrets tells hide every secret value before anybody can use it.
type hiddenSecrets struct {
	run.Secrets

	fields []abi.CredentialField
	hide   func(values ...string)
}

// hideSecrets hides what is held now, and returns Secrets that hide what comes.
func hideSecrets(ctx context.Context, s run.Secrets, fields []abi.CredentialField, hide func(values ...string)) (run.Secrets, error) {
	h := &hiddenSecrets{Secrets: s, fields: fields, hide: hide}
	for name, held := range s.Held() {
		if !held {
			continue
		}
		if _, _, err := h.Value(ctx, name); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// Value implements run.Secrets.
func (h *hiddenSecrets) Value(ctx context.Context, field string) (string, bool, error) {
	value, ok, err := h.Secrets.Value(ctx, field)
	if ok {
		h.one(field, value)
	}
	return value, ok, err
}

// Replace implements run.Secrets.
func (h *hiddenSecrets) Replace(ctx context.Context, values map[string]string) error {
	for field, value := range values {
		h.one(field, value)
	}
	return h.Secrets.Replace(ctx, values)
}

// Keep implements run.Secrets.
func (h *hiddenSecrets) Keep(ctx context.Context, values map[string]string) error {
	for field, value := range values {
		h.one(field, value)
	}
	return h.Secrets.Keep(ctx, values)
}

// one hides a value, unless its field is known to be none.
func (h *hiddenSecrets) one(field, value string) {
	if f := manifest.CredentialNamed(h.fields, field); f == nil || f.Secret == nil || *f.Secret {
		h.hide(value)
	}
}
