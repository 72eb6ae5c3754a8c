package replay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// Options configure a Recorder.
type Options struct {
	Mode     string    // the run's collection_mode
	Start    time.Time // time of the guest's clocks; from 1970 to 2200
	Seed     [32]byte  // seed of its randomness
	MaxBytes int64     // maximum size of the file; 0: MaxBytes
	// Paced makes the guest's sleeps take real time; see plugin.Determinism.
	Paced bool
	// Now measures for how long the owner has a page of the guest's browser; nil: that is not kept.
	Now func() time.Time
}

// Recorder records one collect. Hide may be called from any goroutine at any time, and
// Close once, after all other calls.
type Recorder struct {
	options Options
	path    string // "": somebody else removes the file

	mu       sync.Mutex // guards the fields below; held while an answer is passed on, so that the order equals that of the file
	sheet    *recordingWriter
	masks    masks
	requests int
	answers  int
	failed   bool // the host refused a message, which ends the guest
	begun    bool
	ended    bool
	whole    error // why the recording has no end; nil once it has

	handed  map[int]time.Time // requests that hand a page over, and since when
	seconds func() int64      // that the current answer took on another recording; nil: there is none
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
	return &Recorder{options: o, path: path, sheet: newRecordingWriter(f, o.MaxBytes), whole: incomplete("nothing was recorded"), handed: map[int]time.Time{}}
}

// Hide replaces values from now on, wherever they occur. A value of fewer than 4 bytes
// is not replaced.
func (r *Recorder) Hide(values ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range values {
		r.masks.hide(v, "")
	}
}

// HideCookie replaces the value of a cookie from now on: a long one wherever it occurs, a short one
// where cookies stand.
func (r *Recorder) HideCookie(name, value string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.masks.hideCookie(name, value)
}

// Collect runs g over h, deterministically, and records it. A write error does not
// fail the collect: Close returns it.
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
	_ = json.Unmarshal(manifest, &m) // the caller of the run has parsed it
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

// end writes the last line, if the guest ended by itself: the time of a stop or a kill
// is arbitrary, and cannot be repeated.
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

// repeatable reports whether a guest that ended with err would end so again.
func repeatable(err error) bool {
	code := abi.CodeOf(err)
	area, _, _ := strings.Cut(string(code), ".")
	return err == nil || area == "guest" || area == "boundary" || code == abi.CodeLimitMemory || code == abi.CodeLimitLog || code == abi.CodeLimitOutput
}

// endOf returns the last line for a guest's exit.
func endOf(exit plugin.Exit) event {
	e := event{Kind: kindEnd, Returned: exit.Returned, Code: exit.Code}
	if !exit.Returned {
		e.Error = &fault{Code: abi.CodeOf(exit.Err)}
	}
	return e
}

// Close ends the recording and writes it to disk. It returns nil only for a complete
// recording, otherwise an *abi.Error. A file without content is removed; an incomplete
// one stays, has no end, and is refused by Open.
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

// Counts returns the number of recorded requests and answers, and their size in bytes.
func (r *Recorder) Counts() (requests, answers int, size int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.requests, r.answers, r.sheet.size
}

// tap is the Host of a Recorder's guest.
type tap struct {
	r    *Recorder
	host plugin.Host
}

// Emit records the call and passes it on.
func (t *tap) Emit(p []byte) error {
	t.r.output(event{Kind: kindEmit}, p)
	return t.r.refused(0, t.host.Emit(p))
}

// Message records the call and passes it on.
func (t *tap) Message(call string, p []byte) error {
	t.r.output(event{Kind: call}, p)
	return t.r.refused(0, t.host.Message(call, p))
}

// Log records the call and passes it on.
func (t *tap) Log(level int32, text []byte) {
	t.r.output(event{Kind: kindLog, Level: level}, text)
	t.host.Log(level, text)
}

// Submit records the request and, when it arrives, the answer in the guest's form.
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
	if r.options.Now != nil && handsOver(op, request) {
		r.handed[r.requests] = r.options.Now()
	}
	r.sheet.write(carrying(event{Kind: kindSubmit, Request: r.requests, Op: operationName(op)}, r.masks.apply(withoutTyped(op, request))))
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
	r.sheet.write(carrying(event{Kind: kindAnswer, Request: n, Seconds: r.took(n)}, answer))
	reply(answer)
}

// took is how many seconds the owner had a page, rounded up; 0: the request handed none over.
func (r *Recorder) took(n int) int64 {
	if r.seconds != nil {
		return r.seconds()
	}
	since, handed := r.handed[n]
	if !handed {
		return 0
	}
	delete(r.handed, n)
	return max(1, int64(math.Ceil(r.options.Now().Sub(since).Seconds())))
}

// refused records the host's refusal. For a request (n > 0) it returns the error in
// the form that the guest may read.
func (r *Recorder) refused(n int, err error) error {
	if err == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = r.failed || n == 0
	e, typed := errors.AsType[*abi.Error](err)
	if !typed || e.Code == "" {
		// The engine tells a guest this for any other error.
		e = abi.NewError(abi.CodeInternal, "the host could not do this", "").Wrap(err)
	}
	masked := *e
	masked.Message, masked.Detail = r.masks.text(e.Message), r.masks.text(e.Detail)
	r.sheet.write(event{Kind: kindRefused, Request: n, Error: &fault{
		Code: masked.Code, Message: strings.ToValidUTF8(masked.Message, "?"), Detail: strings.ToValidUTF8(masked.Detail, "?"),
	}})
	if n == 0 {
		return err // the run's own error, by which it knows why the guest ended
	}
	return &masked
}
