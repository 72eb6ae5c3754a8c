package call

import (
	"errors"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send"
)

// failure returns the guest's view of an error.
func (s *Session) failure(err error) abi.HTTPFailure {
	var typed *abi.Error
	if !errors.As(err, &typed) {
		typed = abi.NewError(abi.CodeInternal, "the request could not be sent", "this is a fault of the host").Wrap(err)
	}
	f := abi.HTTPFailure{Code: typed.Code, Message: typed.Message, Hint: typed.Hint}
	switch typed.Code {
	case CodeBytesOutExhausted:
		// A bound of the run, like any budget: resumable, and not pressure (RT-24).
		f.GapReason, f.Stop, f.Final = abi.ReasonRetryExhausted, abi.ReasonRetryExhausted, true
	case abi.CodeInterrupted:
		f.Final = true
	}
	stop := s.recordStop(err)
	if stop == nil {
		return f
	}
	f.Message = stop.Error()
	f.GapReason, f.Stop = stop.GapReason(), stop.Reason
	f.Final = stop.Reason.Has(abi.BudgetExhaustion) || s.pausedForGood(stop)
	f.Status, f.Attempts = stop.Status, stop.Attempts
	answer := s.keys.clean(stop.Answer) // before it is cut, so that no part of a secret is left
	f.Answer, f.AnswerType = string(answer[:min(len(answer), abi.MaxFailureAnswer)]), stop.AnswerType
	if !stop.NextAttempt.IsZero() {
		// Rounded up, so never earlier than the provider asked.
		f.NextAttemptAfter = stop.NextAttempt.Add(time.Second - 1).Truncate(time.Second).UTC().Format(time.RFC3339)
	}
	return f
}

// pausedForGood reports whether every further request would get the same answer: the provider
// asked for a pause that the run does not wait out, or for which it has no time left
// so that the request was not even sent.
func (s *Session) pausedForGood(stop *send.Stop) bool {
	unsent := stop.Attempts == 0
	return stop.ArmsCooldown() && s.inlineWait > 0 && (unsent || stop.NextAttempt.Sub(s.options.Clock.Now()) > s.inlineWait)
}

// inlineWait returns the profile's inline wait; 0 if an endpoint may be delayed
// separately.
func inlineWait(p send.Profile) time.Duration {
	switch {
	case len(p.Endpoints) > 0:
		return 0
	case p.MaxInlineWaitMS == 0:
		return send.DefaultMaxInlineWait
	}
	return time.Duration(p.MaxInlineWaitMS) * time.Millisecond
}
