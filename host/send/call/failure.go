package call

import (
	"errors"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send"
)

// failure is what a guest is told of an error.
func (s *Session) failure(err error) abi.HTTPFailure {
	var typed *abi.Error
	if !errors.As(err, &typed) {
		typed = abi.NewError(abi.CodeInternal, "the request could not be sent", "this is a fault of the host").Wrap(err)
	}
	f := abi.HTTPFailure{Code: typed.Code, Message: typed.Message, Hint: typed.Hint}
	switch typed.Code {
	case CodeBytesOutExhausted:
		// A bound of the run like any budget: resumable, and no pressure (RT-24).
		f.GapReason, f.Stop, f.Final = abi.ReasonRetryExhausted, abi.ReasonRetryExhausted, true
	case abi.CodeInterrupted:
		f.Final = true
	}
	stop := s.stopped(err)
	if stop == nil {
		return f
	}
	f.Message = stop.Error()
	f.GapReason, f.Stop = stop.GapReason(), stop.Reason
	f.Final = stop.Reason.Has(abi.BudgetExhaustion) || s.holds(stop)
	f.Status, f.Attempts = stop.Status, stop.Attempts
	if !stop.NextAttempt.IsZero() {
		// Rounded up: never earlier than told.
		f.NextAttemptAfter = stop.NextAttempt.Add(time.Second - 1).Truncate(time.Second).UTC().Format(time.RFC3339)
	}
	return f
}

// holds reports whether the provider asked for a pause that the run does not
// sit out, or for which it has no time left and did not even send the request:
// every further request would get the same answer.
func (s *Session) holds(stop *send.Stop) bool {
	unsent := stop.Attempts == 0
	return stop.ArmsCooldown() && s.inlineWait > 0 && (unsent || stop.NextAttempt.Sub(s.options.Clock.Now()) > s.inlineWait)
}

// inlineWait is the profile's; 0 when an endpoint may be held by itself.
func inlineWait(p send.Profile) time.Duration {
	switch {
	case len(p.Endpoints) > 0:
		return 0
	case p.MaxInlineWaitMS == 0:
		return send.DefaultMaxInlineWait
	}
	return time.Duration(p.MaxInlineWaitMS) * time.Millisecond
}
