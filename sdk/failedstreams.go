package sdk

import (
	"errors"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// FailedStreams records the streams that a run could not collect to their end, for a
// connector that goes on with the others.
type FailedStreams struct {
	// Ends reports whether an error ends the run, not only one stream. Nil is EndsRun;
	// another function calls EndsRun first.
	Ends func(err error) bool
	// Hint returns the recovery action for a failure whose code names none; "" is that of
	// Remedy for an answer with a status, and else to try again. Nil always returns "".
	Hint func(code string) string

	failed []string // each stream with the error that stopped it
}

// EndsRun reports whether err ends the collection of every stream: a stop, a mistake of
// the connector, credentials that the provider refuses, or a host that sends no more
// requests.
func EndsRun(err error) bool {
	if e, ok := AsFetchError(err); ok {
		return e.Final
	}
	// A loop of our own, because errors.As needs reflection.
	for ; err != nil; err = errors.Unwrap(err) {
		if err == ErrStopped { //nolint:errorlint // this is the walk that errors.Is would do
			return true
		}
		switch f := err.(type) { //nolint:errorlint // as above
		case *abi.Error:
			return true
		case *Failure:
			return strings.HasSuffix(f.Code, authFailed)
		}
	}
	return false
}

// Note reports the failed streams to the host (SKIP_RESULT) and returns nil. It returns
// err when err ends the run. A nil err is no failure.
func (f *FailedStreams) Note(h *Host, err error, streams ...string) error {
	ends := f.Ends
	if ends == nil {
		ends = EndsRun
	}
	if err == nil || ends(err) {
		return err
	}
	t := f.trouble(err)
	for _, stream := range streams {
		f.failed = append(f.failed, stream+" ("+t.text+")")
		if err := h.Skip(abi.SkipResult{
			Stream: stream, Reason: string(abi.ReasonStreamCollectionFailed),
			Message:      "the stream was not collected to its end: " + t.text,
			RecoveryHint: jsonappend.String(nil, recoveryAction(t.hint)), Diagnostics: t.diagnostics(),
		}); err != nil {
			return err
		}
	}
	return nil
}

// Err is the result of the run after its last stream: nil, or a *Failure that
// names those that failed.
func (f *FailedStreams) Err() error {
	if len(f.failed) == 0 {
		return nil
	}
	what := " streams were"
	if len(f.failed) == 1 {
		what = " stream was"
	}
	return &Failure{
		Code: string(abi.ReasonStreamCollectionFailed), Retryable: true,
		Message: strconv.Itoa(len(f.failed)) + what + " not collected to the end: " + strings.Join(f.failed, "; "),
	}
}

// trouble is the error that stopped a stream.
type trouble struct {
	code, text, hint string
	status           int
}

func (f *FailedStreams) trouble(err error) trouble {
	t := trouble{text: err.Error()}
	if e, ok := AsFetchError(err); ok {
		t.code, t.text, t.status = string(e.Code), e.told(), e.Status
		if e.notAllowed() {
			t.hint = "manual_action_required"
		}
	} else if failure, ok := AsFailure(err); ok {
		t.code, t.hint = failure.Code, failure.Hint
		if t.hint == "" && f.Hint != nil {
			t.hint = f.Hint(t.code)
		}
		if status, ok := failure.Err.(*statusFailure); ok && t.hint == "" { //nolint:errorlint // of CheckStatus, which wraps it directly
			t.hint = Remedy(status.status)
		}
		if t.text = t.code; failure.Message != t.code {
			t.text += ": " + failure.Message
		}
	}
	if t.hint == "" {
		t.hint = "retry_by_runtime"
	}
	return t
}

// diagnostics is the code and the status by themselves, nil without them.
func (t trouble) diagnostics() []byte {
	if t.code == "" {
		return nil
	}
	d := jsonappend.String(jsonappend.Name([]byte{'{'}, "code"), t.code)
	if t.status != 0 {
		d = jsonappend.Int(jsonappend.Name(d, "http_status"), int64(t.status))
	}
	return append(d, '}')
}
