package running

import (
	"context"
	"io"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/replay"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Recording is the recording of a run that has ended.
type Recording struct {
	Path     string
	Module   string // its path, where the plugins folder's is not the one that ran
	Requests int
	Answers  int
	Bytes    int64
	Broken   error // why it is not whole
}

// recording is the recording that a run makes; nil: none.
type recording struct {
	path     string
	module   string // see Recording
	recorder *replay.Recorder
	closed   bool
	broken   error // why it is not whole, once it is closed
}

// record makes the file of a recording, so that a run which cannot be recorded does
// not begin.
func record(o *owner.Owner, r *Request) (*recording, error) {
	if r.RecordTo == "" {
		return nil, nil //nolint:nilnil // no recording is no error
	}
	options := replay.Options{Mode: r.Mode, Start: o.Now().Truncate(time.Second), Paced: true, Now: o.Now}
	if _, err := io.ReadFull(o.Random, options.Seed[:]); err != nil {
		return nil, err
	}
	recorder, err := replay.Create(r.RecordTo, options)
	if err != nil {
		return nil, err
	}
	return &recording{path: r.RecordTo, recorder: recorder}, nil
}

// attach puts the recorder between the guest and the run.
func (r *recording) attach(d *run.Deps) {
	if r != nil {
		Record(r.recorder, d)
	}
}

// Record has a run recorded, and hides from the recording every secret of the connection, what
// its owner types, and the cookies of its browser (Invariant 5).
func Record(recorder *replay.Recorder, d *run.Deps) {
	d.Collect = recorder.Collect
	if d.Roots != nil {
		d.Roots = noRoots{d.Roots}
	}
	if open := d.Secrets; open != nil {
		d.Secrets = func(ctx context.Context, conn *storage.Connection, m *abi.Manifest) (run.Secrets, error) {
			s, err := open(ctx, conn, m)
			if err != nil || s == nil {
				return s, err
			}
			return hideSecrets(ctx, s, manifest.Credentials(m), recorder.Hide)
		}
	}
	if d.Asker != nil {
		h := &hidingAsker{d.Asker, recorder.Hide}
		if on, ok := d.Asker.(run.PageAsker); ok {
			d.Asker = &hidingPageAsker{h, on}
		} else {
			d.Asker = h
		}
	}
	if d.Browser != nil {
		d.Browser = &hidingBrowser{d.Browser, recorder.HideCookie}
	}
	if d.Sender != nil {
		d.Sender = &hidingSender{d.Sender, recorder.HideCookie}
	}
}

// hidingAsker tells hide every code before anybody can use it: a site may show it.
type hidingAsker struct {
	run.Asker

	hide func(values ...string)
}

// Ask implements run.Asker.
func (h *hidingAsker) Ask(ctx context.Context, in abi.Interaction) (abi.InteractionResponse, error) {
	answer, err := h.Asker.Ask(ctx, in)
	if in.Kind == abi.InteractionOTP { // credentials are told of when they are kept
		for _, code := range answer.Data {
			h.hide(code)
		}
	}
	return answer, err
}

// hidingPageAsker is one whose owner acts on pages: what is done there is not recorded.
type hidingPageAsker struct {
	*hidingAsker

	on run.PageAsker
}

// AskOn implements run.PageAsker.
func (h *hidingPageAsker) AskOn(ctx context.Context, in abi.Interaction, page handoff.Surface) (abi.InteractionResponse, error) {
	return h.on.AskOn(ctx, in, page)
}

// hidingBrowser has hide told of its cookies.
type hidingBrowser struct {
	run.Browser

	hide func(name, value string)
}

// Open implements run.Browser.
func (h *hidingBrowser) Open(ctx context.Context, b run.BrowserRun) (run.Browsing, error) {
	b.Hide = h.hide
	return h.Browser.Open(ctx, b)
}

// hidingSender has hide told of the cookies of its answers.
type hidingSender struct {
	run.Sender

	hide func(name, value string)
}

// Open implements run.Sender.
func (h *hidingSender) Open(ctx context.Context, s run.SendRun) (run.Sending, error) {
	s.Hide = h.hide
	return h.Sender.Open(ctx, s)
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

// summary is what the owner is told of it.
func (r *recording) summary(broken error) *Recording {
	if r == nil {
		return nil
	}
	out := &Recording{Path: r.path, Module: r.module, Broken: broken}
	out.Requests, out.Answers, out.Bytes = r.recorder.Counts()
	return out
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
