package plugin

import (
	"encoding/json"
	"errors"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/books"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/guest"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/wire"
)

// loadOrder is the payload of a Load frame.
type loadOrder struct {
	CacheDir    string `json:"cache_dir,omitempty"`
	MemoryBytes uint64 `json:"memory_bytes"`
	Extism      bool   `json:"extism,omitempty"`
	CompileOnly bool   `json:"compile_only,omitempty"` // fill the cache, run nothing
	// Roots are the only folders that the worker can read, besides the cache.
	Roots []string `json:"roots,omitempty"`
}

// collectOrder is the payload of a Collect frame.
type collectOrder struct {
	Mounts        []guest.Mount      `json:"mounts,omitempty"`
	Deterministic *guest.Determinism `json:"deterministic,omitempty"`
	Network       bool               `json:"network,omitempty"` // the http operation is granted
	Rule          books.Rule         `json:"rule"`              // of the folders' books
}

// report is the payload of Loaded, End and a refusing Ack.
type report struct {
	Returned bool     `json:"returned,omitempty"`
	Code     int32    `json:"code,omitempty"`
	Error    abi.Code `json:"error,omitempty"`
	Message  string   `json:"message,omitempty"`
	Detail   string   `json:"detail,omitempty"`
	Hint     string   `json:"hint,omitempty"`
	// Books are an End's.
	Books *books.Report `json:"books,omitempty"`
}

// reportBytes bounds a report: a worker's error texts come from the host's own code, and its
// books name so many files.
const reportBytes = 2 << 20

func encodeReport(out guest.Outcome) []byte {
	r := report{Returned: out.Returned, Code: out.Code, Books: out.Books}
	if out.Err != nil {
		var e *abi.Error
		if !errors.As(out.Err, &e) {
			e = abi.NewError(abi.CodeInternal, "the worker failed", "").WithDetail(truncate(out.Err.Error(), 1<<10))
		}
		r.Error, r.Message, r.Detail, r.Hint = e.Code, e.Message, e.Detail, e.Hint
	}
	b, err := json.Marshal(r)
	if err != nil {
		return []byte(`{"error":"internal.error"}`)
	}
	return b
}

// decodeReport reads a report. A guest may have taken over the worker, so the texts
// are shortened and cleaned like the guest's own.
func decodeReport(b []byte) (guest.Outcome, error) {
	var r report
	if err := json.Unmarshal(b, &r); err != nil {
		return guest.Outcome{}, badFrame("a report does not parse")
	}
	out := guest.Outcome{Returned: r.Returned, Code: r.Code, Books: cleanBooks(r.Books)}
	if r.Error != "" {
		out.Err = &abi.Error{Code: cleanText[abi.Code](r.Error), Message: cleanText[string](r.Message), Detail: cleanText[string](r.Detail), Hint: cleanText[string](r.Hint)}
	} else if !r.Returned {
		return guest.Outcome{}, badFrame("a report says nothing")
	}
	return out, nil
}

func cleanText[T, S ~string](s S) T { return T(truncate(string(clean(nil, []byte(s))), 1<<10)) }

func badFrame(detail string) error {
	return abi.NewError(abi.CodeWorkerBadData, "the worker process broke the protocol between it and the host",
		"this may be an attack by the plugin; do not run it again before you know").WithDetail(detail)
}

// messageCall returns the call with a Message frame's id, or nil.
func messageCall(id uint32) *abi.Call {
	if id >= uint32(len(abi.Calls)) {
		return nil
	}
	switch c := &abi.Calls[id]; c.Name {
	case "state", "gap", "coverage", "enumerate", "skip", "account", "progress", "done":
		return c
	default:
		return nil
	}
}

// messageID returns the id with which a Message frame carries call.
func messageID(call *abi.Call) uint32 {
	for i := range abi.Calls {
		if &abi.Calls[i] == call || abi.Calls[i].Name == call.Name {
			return uint32(i)
		}
	}
	return uint32(len(abi.Calls))
}

// fromWorker bounds every frame that a worker may send.
func fromWorker(f wire.Frame) int {
	switch f.Kind {
	case wire.Loaded, wire.End:
		return reportBytes
	case wire.Manifest:
		return abi.MaxManifestBytes
	case wire.Emit:
		return abi.MaxEmitBytes
	case wire.Message:
		if c := messageCall(f.ID); c != nil {
			return int(c.MaxBytes)
		}
	case wire.Log:
		return abi.MaxLogBytes
	case wire.Output:
		if f.ID == 1 || f.ID == 2 {
			return guest.OutputBytes
		}
	case wire.Submit:
		return abi.MaxSubmitBytes + 4
	case wire.Request:
		return abi.MaxSubmitBytes
	}
	return -1
}

// fromHost bounds the frames that a worker reads. Its host is trusted; a module is
// bounded by the size that the host agreed to read.
func fromHost(f wire.Frame) int {
	switch f.Kind {
	case wire.Load, wire.Collect:
		return 1 << 20
	case wire.Module, wire.Answer:
		return 1 << 30
	case wire.Ack:
		return reportBytes
	case wire.Describe:
		return 1 // 1 for the second description
	case wire.Prepare, wire.Stop:
		return 0
	default:
		return -1
	}
}
