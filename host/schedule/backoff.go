package schedule

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// The failure back-off's figures (governor contract, section 10).
const (
	backoffFrom  = 3 // failures of one class in a row
	backoffShift = 8
	backoffCap   = 24 * time.Hour
	blockedFrom  = 7
	// RetriesInDispatch is how often one dispatch tries again at once.
	RetriesInDispatch = 2
)

// Ended is a run that ended, or a refusal: an attempt that was refused before a
// run began.
type Ended struct {
	RunID        string // "" for a refusal
	Status       string
	Class        string // what kind of failure, see FailureClass
	Code         string // of the error
	Retryable    bool
	RecoveryHint string
	StartedAt    time.Time
	FinishedAt   time.Time
	Count        int // how many in a row this stands for; 0 is 1

	number int64  // of the run, in the store's order
	rests  string // what a refusal rests on, see Deps.Rests; "": nobody knows
}

// The statuses of what ended.
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

// cutShort reports whether the run did not come to an end of its own: its host was
// killed, or told to stop.
func (e *Ended) cutShort() bool {
	return e.Status == StatusAbandoned || e.Status == StatusCancelled && e.Code == string(abi.CodeInterrupted)
}

// circuitOpen is the class of runs that ended because the provider was unwell. They
// are put off longer and longer, and never given up: the provider's health is
// nothing that an owner can put right (RT-24).
var circuitOpen = FailureClass(string(abi.ReasonConnectorReportedFailed), "send.circuit_open")

// FailureClass tells failures apart: by the connector's own code where it
// reported one, else by the outcome's reason.
func FailureClass(reason, code string) string {
	if reason == string(abi.ReasonConnectorReportedFailed) && code != "" {
		return "connector:" + code
	}
	return "failure:" + reason
}

// Backoff is what a streak of failures puts off.
type Backoff struct {
	Failures   int // in a row and of one class
	Class      string
	RecordedAt time.Time // of the last of them
	Until      time.Time // zero: nothing is put off
	// Blocked: so many that no run starts by itself any more. A run of the
	// owner's, or what the owner does about it, goes on.
	Blocked bool
}

// FailureBackoff returns what the history, newest first, puts off: from the
// third failure of one class in a row the interval, doubled with each one more,
// up to a day. What an owner cancelled is no failure and ends no streak.
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
	// A failure in the future is of a clock that was put back since.
	if until := b.RecordedAt.Add(wait); until.After(now) && b.RecordedAt.Sub(now) <= wait {
		b.Until = until
	}
	return b
}

// notRetried are the outcomes that trying again at once does not change.
var notRetried = []abi.Reason{
	abi.ReasonAuthenticationError, abi.ReasonProtocolViolation, abi.ReasonPermissionError, abi.ReasonRunTimedOut,
	abi.ReasonOwnerCancelled, abi.ReasonOwnerCancelForced, abi.ReasonConnectorReportedCancelled,
}

// ownerHints are the recovery hints that name the owner.
var ownerHints = []string{"refresh_credentials", "manual_action_required"}

// Retried reports whether a failed run is tried again within its dispatch
// (runtime contract, section 9). Source pressure is not: that is what the
// cooldown is for.
func Retried(e Ended) bool {
	reason := strings.TrimPrefix(e.Class, "failure:")
	switch {
	case e.Status != StatusFailed, !e.Retryable:
		return false
	case abi.Reason(reason).Has(notRetried), strings.HasPrefix(reason, "grant_"), slices.Contains(ownerHints, e.RecoveryHint):
		return false
	case strings.HasSuffix(e.Code, "_rate_limited"), e.Class == circuitOpen: // the run has waited once already
		return false
	}
	status, isHTTP := httpStatus(e.Code)
	return !isHTTP || status < 400 || status > 499
}

// httpStatus reads the code <name>_http_<status>.
func httpStatus(code string) (status int, ok bool) {
	at := strings.LastIndex(code, "_http_")
	if at < 0 {
		return 0, false
	}
	status, err := strconv.Atoi(code[at+len("_http_"):])
	return status, err == nil
}
