package schedule

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// The parameters of the failure back-off (governor contract, section 10).
const (
	backoffFrom  = 3 // consecutive failures of one class
	backoffShift = 8
	backoffCap   = 24 * time.Hour
	blockedFrom  = 7
	// RetriesInDispatch is the number of immediate retries of one dispatch.
	RetriesInDispatch = 2
)

// Ended is a run that ended, or a refusal: an attempt that was refused before a run
// began.
type Ended struct {
	RunID        string // "" for a refusal
	Status       string
	Class        string // kind of failure, see FailureClass
	Code         string // the error's code
	Retryable    bool
	RecoveryHint string
	StartedAt    time.Time
	FinishedAt   time.Time
	Count        int // number of consecutive attempts in this entry; 0 means 1

	number int64  // the run's number, in the store's order
	mark   string // what a refusal depends on, see Deps.Rests; "": unknown
}

// The statuses of an ended attempt.
const (
	StatusSucceeded = "succeeded"
	StatusFailed    = "failed"
	StatusCancelled = "cancelled"
	StatusAbandoned = "abandoned"
	StatusRefused   = "refused"
)

func (e *Ended) failed() bool {
	return e.Status == StatusFailed || e.Status == StatusAbandoned || e.Status == StatusRefused
}

// cutShort reports whether the run was interrupted: its host was killed, or told to
// stop.
func (e *Ended) cutShort() bool {
	return e.Status == StatusAbandoned || e.Status == StatusCancelled && e.Code == string(abi.CodeInterrupted)
}

// circuitOpen is the class of runs that ended because the provider was unhealthy. They
// are delayed longer and longer, and never given up, since an owner cannot change the
// provider's health (RT-24).
var circuitOpen = FailureClass(string(abi.ReasonConnectorReportedFailed), "send.circuit_open")

// FailureClass distinguishes failures: by the connector's own code if it reported one,
// else by the outcome's reason.
func FailureClass(reason, code string) string {
	if reason == string(abi.ReasonConnectorReportedFailed) && code != "" {
		return "connector:" + code
	}
	return "failure:" + reason
}

// Backoff is the delay caused by consecutive failures.
type Backoff struct {
	Failures   int // consecutive failures of one class
	Class      string
	RecordedAt time.Time // time of the last of them
	Until      time.Time // zero: no delay
	// Blocked: there were so many that no run starts automatically any more. Only a
	// run by the owner, or an action of the owner, resumes.
	Blocked bool
}

// FailureBackoff returns the delay that the history, newest first, causes: from the
// third consecutive failure of one class the interval, doubled with each further one,
// up to a day. A run that an owner cancelled is no failure and does not interrupt the
// sequence.
func FailureBackoff(history []Ended, base time.Duration, now time.Time) Backoff {
	var b Backoff
	for i := range history {
		e := &history[i]
		if !e.failed() {
			if e.Status == StatusSucceeded {
				break
			}
			continue
		}
		if b.Failures == 0 {
			b.Class, b.RecordedAt = e.Class, e.FinishedAt
		} else if e.Class != b.Class {
			break
		}
		b.Failures += min(max(1, e.Count), looksBack)
	}
	if b.Failures < backoffFrom {
		return b
	}
	b.Blocked = b.Failures >= blockedFrom && b.Class != circuitOpen
	wait := doubled(orDefault(base), int64(b.Failures-backoffFrom), backoffShift, backoffCap)
	// A failure in the future means that the clock was set back since.
	if until := b.RecordedAt.Add(wait); until.After(now) && b.RecordedAt.Sub(now) <= wait {
		b.Until = until
	}
	return b
}

// notRetried are the outcomes that an immediate retry does not change.
var notRetried = []abi.Reason{
	abi.ReasonAuthenticationError, abi.ReasonProtocolViolation, abi.ReasonPermissionError, abi.ReasonRunTimedOut,
	abi.ReasonOwnerCancelled, abi.ReasonOwnerCancelForced, abi.ReasonConnectorReportedCancelled,
}

// ownerHints are the recovery hints that name the owner.
var ownerHints = []string{"refresh_credentials", "manual_action_required"}

// Retried reports whether a failed run is retried within its dispatch (runtime
// contract, section 9). Source pressure is not retried: the cooldown handles it.
func Retried(e Ended) bool {
	reason := strings.TrimPrefix(e.Class, "failure:")
	switch {
	case e.Status != StatusFailed, !e.Retryable:
		return false
	case abi.Reason(reason).Has(notRetried), strings.HasPrefix(reason, "grant_"), slices.Contains(ownerHints, e.RecoveryHint):
		return false
	case strings.HasSuffix(e.Code, "_rate_limited"), e.Class == circuitOpen: // the run has already waited once
		return false
	}
	status, isHTTP := httpStatus(e.Code)
	return !isHTTP || status < 400 || status > 499
}

// httpStatus parses the code <name>_http_<status>.
func httpStatus(code string) (status int, ok bool) {
	at := strings.LastIndex(code, "_http_")
	if at < 0 {
		return 0, false
	}
	status, err := strconv.Atoi(code[at+len("_http_"):])
	return status, err == nil
}
