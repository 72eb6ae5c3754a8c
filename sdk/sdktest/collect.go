package sdktest

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/internal/link"
)

// Collect does one run of c and returns its result. An unreadable manifest ends the
// test.
func Collect(t testing.TB, c sdk.Connector, o Options) *Result {
	t.Helper()
	h := &host{res: &Result{connector: c, options: o}, o: o, answers: make(map[int32][]byte), listing: make(map[string]listed)}
	h.listsBefore()
	if err := json.Unmarshal([]byte(c.Manifest()), &h.manifest); err != nil {
		for _, p := range manifest.Problems([]byte(c.Manifest())) {
			t.Errorf("sdktest: %s", p)
		}
		t.Fatalf("sdktest: the manifest is not valid: %v", err)
	}
	if o.Now == nil {
		h.o.Now = func() time.Time { return Epoch }
	}
	if err := h.makeStart(); err != nil {
		t.Fatalf("sdktest: %v", err)
	}
	h.res.Exit = sdk.Serve(c, h)
	h.end()
	if why := h.res.Failure(); why != "" {
		t.Logf("sdktest: %s", why)
	}
	if !o.Tolerate {
		for _, p := range h.res.Problems {
			t.Errorf("sdktest: %s", p)
		}
	}
	return h.res
}

// host is the scripted host: a link.Native.
type host struct {
	o        Options
	res      *Result
	manifest abi.Manifest
	streams  map[string]*scope
	start    []byte

	calls    int
	sent     int64
	started  bool
	done     bool
	lastErr  []byte
	handle   int32
	answers  map[int32][]byte
	answered []int32
	pages    int // of gaps, answered
	gaps     gapStore
	listing  map[string]listed // by stream: what its records are met in
}

var _ link.Native = (*host)(nil)

// Mount and Clock make host a link.Native.
func (h *host) Mount(name string) fs.FS { return h.o.Roots[name] }
func (h *host) Clock() time.Time        { return h.o.Now() }

// makeStart makes START.
func (h *host) makeStart() error {
	list := h.o.Scope
	if list == nil {
		for _, s := range h.manifest.Streams {
			if len(h.o.Streams) == 0 || slices.Contains(h.o.Streams, s.Name) {
				list = append(list, abi.StreamScope{Name: s.Name})
			}
		}
	}
	if err := h.scope(list); err != nil {
		return err
	}
	if err := manifest.CheckOptions(&h.manifest, h.o.Options); err != nil {
		return err
	}
	start := abi.Start{
		Type: abi.TypeStart, RunID: h.runID(), CollectionMode: h.o.Mode, Scope: abi.Scope{Streams: list},
		Options: manifest.WithDefaults(&h.manifest, h.o.Options), Credentials: h.o.Credentials, RecoveryOnly: h.o.RecoveryOnly,
	}
	if start.CollectionMode == "" {
		start.CollectionMode = abi.ModeIncremental
	}
	cursors := make(map[string]abi.Raw)
	for stream, cursor := range h.o.State {
		cursors[stream] = abi.Raw(cursor)
	}
	switch {
	case len(cursors) == 0:
	case start.CollectionMode == abi.ModeFullRefresh:
		start.PreviousState = cursors
	default:
		start.State = cursors
	}
	for _, gap := range h.o.DetailGaps {
		start.DetailGaps = append(start.DetailGaps, abi.Raw(gap))
	}
	h.noteServed(start.DetailGaps)
	start.DetailLimits = h.o.DetailLimits
	if h.o.Provider != nil {
		start.Bindings.Network = &struct{}{}
	}
	if h.o.Site != nil {
		start.Bindings.Browser = &struct{}{}
	}
	if h.o.Answer != nil {
		start.Bindings.Interactive = &struct{}{}
	}
	if len(h.o.Roots) > 0 {
		start.Bindings.Filesystem = &abi.FilesystemBinding{}
		for _, name := range slices.Sorted(maps.Keys(h.o.Roots)) {
			start.Bindings.Filesystem.Roots = append(start.Bindings.Filesystem.Roots, abi.Root{Name: name, Path: "/" + name})
		}
	}
	var err error
	h.start, err = json.Marshal(start)
	return err
}

// Call takes one message.
func (h *host) Call(c link.Call, payload []byte) int32 {
	name := link.Names[c]
	h.calls++
	h.res.Calls = append(h.res.Calls, Call{Name: name, Payload: string(payload)})
	if row, ok := abi.LookupCall(name); ok && len(payload) > int(row.MaxBytes) {
		return h.refuse(abi.CodeCallTooLarge, name+": the payload is above the call's limit")
	}
	if h.o.Before != nil {
		if err := h.o.Before(name, bytes.Clone(payload)); err != nil {
			h.fail(err)
			return abi.ResultRefused
		}
	}
	if code, problem := h.receive(c, payload); problem != "" {
		return h.refuse(code, name+": "+problem)
	}
	if h.stopped() {
		return abi.ResultStop
	}
	return abi.ResultOK
}

func (h *host) stopped() bool { return h.o.StopAfter > 0 && h.calls >= h.o.StopAfter }

// refuse notes a problem and answers the call with it.
func (h *host) refuse(code abi.Code, problem string) int32 {
	h.res.Problems = append(h.res.Problems, problem)
	h.fail(abi.NewError(code, problem, ""))
	return abi.ResultRefused
}

func (h *host) fail(err *abi.Error) {
	h.lastErr, _ = json.Marshal(map[string]string{"code": string(err.Code), "message": err.Message})
}

// Log keeps a line.
func (h *host) Log(_ int32, text []byte) {
	h.res.Logs = append(h.res.Logs, string(text))
	h.res.Calls = append(h.res.Calls, Call{Name: "log", Payload: string(text)})
}

// Submit answers at once; Wait hands the answer over.
func (h *host) Submit(op int32, request []byte) int32 {
	if len(h.answered) >= abi.MaxInFlight || len(h.answers)-len(h.answered) >= abi.MaxInFlight {
		return h.refuse(abi.CodeTooManyInFlight, "submit: too many requests in flight")
	}
	h.res.Calls = append(h.res.Calls, Call{Name: "submit", Payload: string(request)})
	answer, err := h.operation(abi.Operation(op), request)
	if err != nil {
		return h.refuse(err.Code, "submit: "+err.Message)
	}
	h.handle++
	h.answers[h.handle] = answer
	h.answered = append(h.answered, h.handle)
	return h.handle
}

func (h *host) operation(op abi.Operation, request []byte) ([]byte, *abi.Error) {
	switch {
	case op == abi.OpStart && h.started:
		return nil, abi.NewError(abi.CodeStartTwice, "START was read already", "")
	case op == abi.OpStart:
		h.started = true
		return h.start, nil
	case !h.started || h.done:
		return nil, abi.NewError(abi.CodeCallOutOfPhase, "a request before START or after DONE", "")
	case op == abi.OpNow:
		answer, _ := json.Marshal(map[string]int64{"unix_ms": h.o.Now().UnixMilli()})
		return answer, nil
	case op == abi.OpGaps:
		return h.gapPage(), nil
	case op == abi.OpMissing:
		return h.missing(request)
	case op == abi.OpHTTP:
		return h.http(request)
	case op == abi.OpInteract:
		return h.interact(request)
	case op == abi.OpBrowser:
		return h.browse(request)
	}
	return nil, abi.NewError(abi.CodeOperationUnknown, "an operation that sdktest does not script", "")
}

func (h *host) interact(request []byte) ([]byte, *abi.Error) {
	var m abi.Interaction
	if err := json.Unmarshal(request, &m); err != nil || m.Type != abi.TypeInteraction || m.RequestID == "" ||
		m.Kind == "" || m.Message == "" {
		return nil, abi.NewError(abi.CodeInteractionInvalid, "an incomplete INTERACTION", "")
	}
	h.res.Interactions = append(h.res.Interactions, m)
	if h.o.Answer == nil {
		return nil, abi.NewError(abi.CodeBindingNotGranted, "INTERACTION without the interactive binding", "")
	}
	ask := func() abi.InteractionResponse { return h.o.Answer(m) }
	var answer abi.InteractionResponse
	if m.Browser == nil || h.o.Site == nil {
		answer = ask()
	} else {
		var wrong *abi.Error
		if answer, wrong = h.o.Site.handOver(max(int(m.Browser.Page), 1), h.manifest.Requirements.Browser, ask); wrong != nil {
			return nil, wrong
		}
	}
	answer.Type, answer.RequestID = abi.TypeInteractionResp, m.RequestID
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, abi.NewError(abi.CodeInternal, err.Error(), "")
	}
	return text, nil
}

// gapPage answers the gaps operation.
func (h *host) gapPage() []byte {
	var page struct {
		Gaps []abi.Raw `json:"detail_gaps"`
	}
	page.Gaps = []abi.Raw{}
	if h.pages < len(h.o.GapPages) {
		for _, gap := range h.o.GapPages[h.pages] {
			page.Gaps = append(page.Gaps, abi.Raw(gap))
		}
	}
	h.pages++
	h.noteServed(page.Gaps)
	answer, _ := json.Marshal(page)
	return answer
}

// Wait returns the answer whose turn it is.
func (h *host) Wait(int32) int64 {
	n := len(h.answered)
	if n == 0 {
		return -1
	}
	i := 0
	if h.o.Completes != nil {
		i = min(max(h.o.Completes(n), 0), n-1)
	}
	handle := h.answered[i]
	h.answered = slices.Delete(h.answered, i, i+1)
	return int64(handle)<<32 | int64(len(h.answers[handle]))
}

// readPart is odd and small enough for every START to come in several parts.
const readPart = 100

// Read hands an answer over in parts, so that no connector relies on one.
func (h *host) Read(handle int32, dst []byte) int32 {
	answer, ok := h.answers[handle]
	if !ok {
		return h.refuse(abi.CodeHandleUnknown, "read: no such handle")
	}
	n := copy(dst[:min(len(dst), readPart)], answer)
	if h.answers[handle] = answer[n:]; n == 0 {
		delete(h.answers, handle)
	}
	return int32(n)
}

// LastError copies the last refusal.
func (h *host) LastError(dst []byte) int32 { return int32(copy(dst, h.lastErr)) }
