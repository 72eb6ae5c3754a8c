package exitcode

import (
	"context"
	"errors"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// The exit statuses.
const (
	OK          = 0
	Internal    = 1   // a fault of the host or of its store; or a replay that differs
	Usage       = 2   // wrong use or configuration
	Refused     = 3   // refused before it ran
	Failed      = 4   // the run failed; of a collector also: delivery is blocked
	Gaps        = 5   // a collector's run succeeded and left gaps
	OwnerNeeded = 6   // it needs the owner, and nobody could be asked
	Critical    = 6   // a collector's doctor found what stops delivery
	Interrupted = 130 // 128 + SIGINT
	Terminated  = 143 // 128 + SIGTERM, of a collector: its supervisor tells them apart
)

// exact lists the codes that differ from their area.
var exact = map[abi.Code]int{
	abi.CodeRunUnknown:      Usage,
	abi.CodeConnectionBusy:  Refused,
	"connection.on_device":  Refused,
	abi.CodeCoolingDown:     Refused,
	"run.ended":             Refused,
	"run.elsewhere":         Refused,
	"run.too_many":          Refused,
	"run.winding_up":        Refused,
	abi.CodeInterrupted:     Interrupted,
	abi.CodeOwnerNeeded:     OwnerNeeded,
	abi.CodeStoreNewer:      Refused, // nothing was touched; a newer host is needed
	"storage.older_version": Refused, // as above; a command that writes is needed
	abi.CodeFenced:          Failed,
	"read.index_behind":     Internal, // nothing is wrong with what was asked for
	"read.busy":             Internal,
	"tokens.unknown":        Usage, // as a connection that there is none of
	"owner.session_unknown": Usage,
	"owner.made_unknown":    Usage,
	"owner.passkey_unknown": Usage,

	"read.grant_revoked": Refused,
	"read.grant_expired": Refused,
	"read.grant_invalid": Refused,
	"read.token_unknown": Refused,

	"grants.unknown":         Usage,
	"grants.request_unknown": Usage,
	"grants.invalid_choice":  Usage,

	"grants.user_code_unknown": Usage,
	"grants.client_unknown":    Usage,

	"questions.unknown":        Usage,
	"questions.answer_invalid": Usage,
	"questions.keep_needed":    Usage,

	"handoff.unknown":       Usage,
	"handoff.input_invalid": Usage,

	"notifications.unknown":         Usage,
	"notifications.address_invalid": Usage,

	// Of a collector (host/collector): a profile that cannot be read is its
	// configuration, and so is the address in it.
	"profile.invalid":          Usage,
	"profile.ambiguous":        Usage,
	"delivery.address_refused": Usage,
	"doctor.critical":          Critical,
	"storage.lane_missing":     Refused, // the outbox is another's, or none: nothing was touched
	"storage.lane_mismatch":    Refused,
	"storage.keep_refused":     Usage,
}

// areas maps the part before the dot.
var areas = map[string]int{
	"request": Refused, "internal": Internal, "output": Internal, "storage": Internal, "doctor": Internal, "export": Internal, "cache": Internal,
	"usage": Usage, "config": Usage, "connection": Usage, "record": Usage, "stream": Usage, "device": Usage, "read": Usage,
	"recording": Refused, "plugin": Refused, "manifest": Refused, "binding": Refused, "files": Refused,
	"send": Refused, "egress": Refused, "vault": Refused, "credential": Refused, "serve": Refused, "owner": Refused, "tokens": Refused, "grants": Refused, "questions": Refused, "notifications": Refused,
	"boundary": Failed, "limit": Failed, "guest": Failed, "worker": Failed, "run": Failed, "interact": Failed,
	"profile": Refused, "lane": Refused, "enrollment": Refused, "delivery": Failed,
	"browser": Refused, "handoff": Refused,
	"replay": Internal, // 1, as of diff: what was compared is not the same
}

// Ended is a run that took place and did not succeed, or not wholly. Its code may
// be a connector's own word, so the outcome decides, not the code.
type Ended struct {
	Err         error
	Cancelled   bool // by the owner
	Gaps        bool // it succeeded, and left gaps
	OwnerNeeded bool // and nobody could be asked
}

// Error returns what the run failed with.
func (e *Ended) Error() string { return e.Err.Error() }

// Unwrap returns what the run failed with.
func (e *Ended) Unwrap() error { return e.Err }

// Of returns the exit status of err. An interruption wins over what it caused.
func Of(err error) int {
	var ended *Ended
	switch {
	case err == nil:
		return OK
	case errors.As(err, &ended) && ended.Cancelled:
		return Interrupted
	case errors.As(err, &ended) && ended.OwnerNeeded:
		return OwnerNeeded
	case errors.As(err, &ended) && ended.Gaps:
		return Gaps
	case errors.As(err, &ended):
		return Failed
	case errors.Is(err, &abi.Error{Code: abi.CodeInterrupted}), errors.Is(err, context.Canceled):
		return Interrupted
	}
	return OfCode(abi.CodeOf(err))
}

// OfCode returns the exit status of one code; an unknown one is Internal.
func OfCode(code abi.Code) int {
	if status, ok := exact[code]; ok {
		return status
	}
	area, _, _ := strings.Cut(string(code), ".")
	if status, ok := areas[area]; ok {
		return status
	}
	return Internal
}
