package replay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// Options are a Recorder's.
type Options struct {
	Mode     string    // the run's collection_mode
	Start    time.Time // of the guest's clocks; from 1970 to 2200
	Seed     [32]byte  // of its randomness
	MaxBytes int64     // of the file; 0: MaxBytes
	// Paced lets the guest's sleeps take their time; see plugin.Determinism.
	Paced bool
}

// Recorder records one collect. Hide may be called from any goroutine at any
// time, and Close once, after all else.
type Recorder struct {
	options Options
	path    string // "": the file is somebody else's to remove

	mu       sync.Mutex // guards what follows; held while an answer is handed on, so that the order is that of the file
	sheet    *sheet
	masks    masks
	requests int
	answers  int
	failed   bool // the host refused a message, which ends the guest
	begun    bool
	ended    bool
	whole    error // why the recording has no end; nil once it has
}

// Create makes a recording at path, which must not exist. The error is an
// *abi.Error.
func Create(path string, o Options) (*Recorder, error) {
	f, err := create(path)
	if err != nil {
		return nil, err
	}
	return newRecorder(f, path, o), nil
}

func newRecorder(f *os.File, path string, o Options) *Recorder {
	o.Start = o.Start.UTC()
	return &Recorder{options: o, path: path, sheet: newSheet(f, o.MaxBytes), whole: incomplete("nothing was recorded")}
}

// Hide replaces values from now on, wherever they stand. One of fewer than 4
// bytes is not looked for.
func (r *Recorder) Hide(values ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range values {
		r.masks.hide(v, "")
	}
}

// Collect runs g over h, deterministically, and records it. What cannot be
// written does not fail the collect: Close says so.
func (r *Recorder) Collect(ctx context.Context, g *plugin.Guest, grant plugin.Grant, h plugin.Host) plugin.Exit {
	if len(grant.Roots) > 0 {
		return plugin.Exit{Err: FilesGranted()}
	}
	manifest, err := g.Describe(ctx)
	if err != nil {
		return plugin.Exit{Err: err}
	}
	r.mu.Lock()
	r.begun, r.whole = true, incomplete("the run did not end")
	r.sheet.write(r.header(g.Info().SHA256, manifest, grant.Bindings))
	r.mu.Unlock()
	grant.Deterministic = &plugin.Determinism{Start: r.options.Start, Seed: r.options.Seed, Paced: r.options.Paced}
	exit := g.Collect(ctx, grant, &tap{r, h})
	r.end(exit)
	return exit
}

func (r *Recorder) header(module string, manifest []byte, bindings map[string]bool) Header {
	var m struct {
		Connector string `json:"connector_key"`
		Version   string `json:"version"`
	}
	_ = json.Unmarshal(manifest, &m) // whoever runs it has parsed it
	sum := sha256.Sum256(manifest)
	h := Header{
		Format: Format, ABI: abi.Version, Connector: m.Connector, Version: m.Version,
		ModuleSHA256: module, ManifestSHA256: hex.EncodeToString(sum[:]),
		ClockStart: r.options.Start.Format(time.RFC3339Nano), Seed: hex.EncodeToString(r.options.Seed[:]),
		Mode: r.options.Mode, Bindings: []string{},
	}
	for b, granted := range bindings {
		if granted {
			h.Bindings = append(h.Bindings, b)
		}
	}
	slices.Sort(h.Bindings)
	return h
}

// end writes the last line, if the guest ended by itself: where a stop or a kill
// meets it is chance, and cannot be played again.
func (r *Recorder) end(exit plugin.Exit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	if exit.Stopped != nil {
		r.whole = incomplete("the run was stopped")
		return
	}
	if !r.failed && !repeatable(exit.Err) {
		r.whole = incomplete(string(abi.CodeOf(exit.Err)))
		return
	}
	r.sheet.write(endOf(exit))
	r.whole = nil
}

// repeatable reports whether a guest that ended with err would so again.
func repeatable(err error) bool {
	code := abi.CodeOf(err)
	area, _, _ := strings.Cut(string(code), ".")
	return err == nil || area == "guest" || area == "boundary" || code == abi.CodeLimitMemory || code == abi.CodeLimitLog || code == abi.CodeLimitOutput
}

// endOf is the last line of a guest that ended so.
func endOf(exit plugin.Exit) event {
	e := event{Kind: kindEnd, Returned: exit.Returned, Code: exit.Code}
	if !exit.Returned {
		e.Error = &fault{Code: abi.CodeOf(exit.Err)}
	}
	return e
}

// Close ends the recording and puts it on the disk. It returns nil only for one
// that is whole, and otherwise an *abi.Error. A file that nothing was written to
// is removed; one that is not whole stays, has no end, and is refused by Open.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.sheet.close()
	if !r.begun && r.path != "" {
		return errors.Join(r.whole, os.Remove(r.path))
	}
	if err != nil {
		return err
	}
	return r.whole
}

// Counts says how many requests and answers were recorded, in how many bytes.
func (r *Recorder) Counts() (requests, answers int, size int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.requests, r.answers, r.sheet.size
}

// tap is the Host that the guest of a Recorder speaks to.
type tap struct {
	r    *Recorder
	host plugin.Host
}

// Emit records and hands on.
func (t *tap) Emit(p []byte) error {
	t.r.output(event{Kind: kindEmit}, p)
	return t.r.refused(0, t.host.Emit(p))
}

// Message records and hands on.
func (t *tap) Message(call string, p []byte) error {
	t.r.output(event{Kind: call}, p)
	return t.r.refused(0, t.host.Message(call, p))
}

// Log records and hands on.
func (t *tap) Log(level int32, text []byte) {
	t.r.output(event{Kind: kindLog, Level: level}, text)
	t.host.Log(level, text)
}

// Submit records the request and, when it comes, the answer as the guest gets
// it.
func (t *tap) Submit(op abi.Operation, request []byte, reply func([]byte)) error {
	n := t.r.submit(op, request)
	err := t.host.Submit(op, request, func(answer []byte) { t.r.answer(n, op, answer, reply) })
	return t.r.refused(n, err)
}

func (r *Recorder) output(e event, payload []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sheet.write(carrying(e, r.masks.apply(payload)))
}

func (r *Recorder) submit(op abi.Operation, request []byte) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests++
	r.sheet.write(carrying(event{Kind: kindSubmit, Request: r.requests, Op: operationName(op)}, r.masks.apply(request)))
	return r.requests
}

func (r *Recorder) answer(n int, op abi.Operation, answer []byte, reply func([]byte)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return
	}
	r.answers++
	answer = r.masks.answer(op, answer)
	r.sheet.write(carrying(event{Kind: kindAnswer, Request: n}, answer))
	reply(answer)
}

// refused records what the host refused, and returns it as the guest may read
// it when it was a request (n > 0).
func (r *Recorder) refused(n int, err error) error {
	if err == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = r.failed || n == 0
	e, typed := errors.AsType[*abi.Error](err)
	if !typed || e.Code == "" {
		// What the engine tells a guest of any other error.
		e = abi.NewError(abi.CodeInternal, "the host could not do this", "").Wrap(err)
	}
	masked := *e
	masked.Message, masked.Detail = r.masks.text(e.Message), r.masks.text(e.Detail)
	r.sheet.write(event{Kind: kindRefused, Request: n, Error: &fault{
		Code: masked.Code, Message: strings.ToValidUTF8(masked.Message, "?"), Detail: strings.ToValidUTF8(masked.Detail, "?"),
	}})
	if n == 0 {
		return err // the run's own, by which it knows why the guest ended
	}
	return &masked
}
