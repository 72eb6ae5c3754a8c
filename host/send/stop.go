package send

import (
	"fmt"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Stop is a request that produced no usable answer. Its text is the connector's
// terminal error: <name>_rate_limited for a provider that kept refusing, the string
// that retryable patterns look for (RT-23.1). Reason, not the text, determines whether
// the cooldown is armed.
//
// Its text contains no address, header or body. It wraps an *abi.Error with the code.
type Stop struct {
	Provider string
	// Reason is a source pressure reason, a budget's (RT-24), or
	// temporary_unavailable.
	Reason   abi.Reason
	Attempts int // sends of this request
	Status   int // the last answer's; 0 without one
	// NextAttempt is the time at which the provider, or the open circuit, accepts the
	// next request; zero if unknown.
	NextAttempt time.Time
	// Answer is the body of the last answer, as it came, and AnswerType its Content-Type.
	Answer     []byte
	AnswerType string
	Record     StopRecord
	Cause      abi.Cause // why the last attempt failed; "": it was refused, or unknown

	text string
	err  *abi.Error
}

// StopRecord is the run's state at the stop, as evidence.
type StopRecord struct {
	Reason               abi.Reason    `json:"reason"`
	ElapsedMS            int64         `json:"elapsed_ms"`
	RequestCount         int64         `json:"request_count"`
	RetryTokensRemaining *float64      `json:"retry_tokens_remaining,omitempty"` // absent: unbounded
	CircuitState         *CircuitState `json:"circuit_state,omitempty"`
}

// Error returns the terminal text.
func (s *Stop) Error() string { return s.text }

// Unwrap returns the typed error.
func (s *Stop) Unwrap() error { return s.err }

// ArmsCooldown reports whether the stop is source pressure: only that delays the next
// run (RT-24).
func (s *Stop) ArmsCooldown() bool { return s.Reason.IsSourcePressure() }

// GapReason returns the DETAIL_GAP reason for the item that was not fetched.
func (s *Stop) GapReason() abi.Reason {
	if s.Reason.Has(abi.BudgetExhaustion) {
		return abi.ReasonRetryExhausted
	}
	return s.Reason
}

// stopFailed returns the stop of a request that failed finally. Exhausted attempts and
// an exhausted retry budget give the same stop (RT-22.1); only Reason differs.
func (g *Governor) stopFailed(last answer, attempts int, reason abi.Reason) *Stop {
	s := &Stop{Provider: g.profile.Name, Reason: reason, Attempts: attempts, Status: last.status, NextAttempt: last.next, Answer: last.body, AnswerType: last.header.Get("Content-Type")}
	if last.refusal {
		s.text = g.profile.Name + "_rate_limited"
		s.err = abi.NewError(CodeRateLimited, s.text, "the provider asks for fewer requests; the next run goes on from here")
	} else {
		what := "fetch failed"
		cause, text := transportCause(last.err)
		if s.Cause = cause; text != "" {
			what += " (" + text + ")"
		}
		if last.status > 0 {
			s.Cause = abi.CauseServiceFails
			what = fmt.Sprintf("retryable status %d", last.status)
		}
		s.text = fmt.Sprintf("%s: %s after %s", g.profile.Name, what, times(attempts))
		s.err = abi.NewError(CodeAttemptsExhausted, s.text, "the provider did not answer well; the next run tries again")
	}
	s.err = s.err.Wrap(last.err)
	return s
}

// stopPlanned returns the stop of a budget or the breaker: nothing was sent.
func (g *Governor) stopPlanned(reason abi.Reason, attempts int, next time.Time) *Stop {
	code, hint := CodeBudgetExhausted, "what was collected is kept; the next run goes on from here"
	if reason == abi.ReasonCircuitOpen {
		code = CodeCircuitOpen
	}
	text := g.profile.Name + ": stopped: " + string(reason)
	return &Stop{
		Provider: g.profile.Name, Reason: reason, Attempts: attempts, NextAttempt: next,
		text: text, err: abi.NewError(code, text, hint),
	}
}

func times(n int) string {
	if n == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", n)
}
