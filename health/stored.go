package health

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Stored is everything that is kept of one connection to project it: facts and
// no answers. A store keeps it as one document a connection and brings it up to
// date with the facts it follows from; what it says at a moment is Evidence. A
// nil part is one that nobody has looked at, or that never happened.
//
// Times are microseconds since 1970 UTC, 0 for none, so that a document equals
// one that is made again from the same facts, to the byte.
type Stored struct {
	// Manifest is what the accepted manifest says. nil: none was accepted yet.
	Manifest *StoredManifest `json:"manifest,omitempty"`

	Latest    *StoredRun `json:"latest,omitempty"`    // the newest, whether it has ended or not
	Settled   *StoredRun `json:"settled,omitempty"`   // the newest that succeeded or failed
	Succeeded *StoredRun `json:"succeeded,omitempty"` // the newest that succeeded

	// Rejected is the last that was said of the credentials, where that is that they
	// are no good: no run has got in since.
	Rejected *StoredRejection `json:"rejected,omitempty"`

	// KnownGaps is what is known to be missing, as KeepGaps leaves it: what the
	// settled run said, and of what it did not look at what the runs before said.
	KnownGaps []KnownGap `json:"known_gaps,omitempty"`
	// RejectedRecords are, by stream, the records that failed their schema and that no
	// run has delivered since. How many runs went by changes nothing about them.
	RejectedRecords []RejectedRecords `json:"rejected_records,omitempty"`
	// Fault: the last runs ended over the connector's own fault.
	Fault *StoredFault `json:"fault,omitempty"`
	// Asked are the streams that a run has to collect before gaps of no stream are
	// answered.
	Asked []string `json:"asked,omitempty"`

	// Of the settled run.
	Committed *int64                    `json:"committed,omitempty"` // records
	Drained   *int64                    `json:"drained,omitempty"`   // detail gaps that it filled
	Accounts  map[string]*StreamAccount `json:"accounts,omitempty"`  // by stream

	// CollectedUS is, by stream, when a run last collected all of it: a run that
	// succeeded, or said which others it failed to collect, without skipping it or
	// holding its cursor back.
	CollectedUS map[string]int64 `json:"collected_us,omitempty"`
	// Failed are the streams, sorted, that a run failed to collect and none has
	// collected since.
	Failed []string `json:"failed,omitempty"`

	Gaps     StoredGaps      `json:"gaps"`
	Pressure *StoredPressure `json:"pressure,omitempty"`
	Hold     *StoredHold     `json:"hold,omitempty"`
	// Asking: the running run waits for its owner's answer.
	Asking bool `json:"asking,omitempty"`

	Credential *StoredCredential `json:"credential,omitempty"`
	Schedule   *Schedule         `json:"schedule,omitempty"`

	// Device: an enrolled device feeds the connection, even where it is revoked
	// since. nil: none ever did.
	Device *StoredDevice `json:"device,omitempty"`

	// Retained is how many records the store holds of the connection. It moves
	// with every batch of records and is kept beside the document. nil: unknown.
	Retained *int64 `json:"-"`
	// Unreadable names facts that could not be read when the document was made,
	// or of the document itself. Whatever else it says, nobody knows then.
	Unreadable []Word `json:"unreadable,omitempty"`
}

// StoredManifest is the part of a manifest that health depends on.
type StoredManifest struct {
	Refresh           *Refresh         `json:"refresh,omitempty"`
	MaximumStalenessS int64            `json:"maximum_staleness_s,omitempty"` // 0: no window is declared
	Streams           []ManifestStream `json:"streams,omitempty"`
	Module            string           `json:"module,omitempty"` // the sha256 of the accepted module
	// Credentials are the fields, sorted, without which the connector cannot sign in.
	Credentials []string `json:"credentials,omitempty"`
}

// StoredRun points at a run, with what a projection needs of it.
type StoredRun struct {
	ID        string `json:"id"`
	Status    Word   `json:"status"` // as the store has it: running succeeded failed cancelled abandoned
	Reason    Word   `json:"reason,omitempty"`
	StartedUS int64  `json:"started_us"`
	EndedUS   int64  `json:"ended_us,omitempty"`
	// Missed are the streams that a run which did not succeed failed to collect:
	// those that it named, else all that it was asked for. nil: nobody knows.
	Missed []string `json:"missed,omitempty"`
	// Refused: it was refused before it began, and its reason is the refusal's.
	Refused bool `json:"refused,omitempty"`
	// Device is the one that ran it; "": this host did.
	Device string `json:"device,omitempty"`
	// Cause is what kept it from its end; nil: it succeeded, or nobody knows.
	Cause *StoredCause `json:"cause,omitempty"`
}

// StoredRejection says that a run failed over its credentials.
type StoredRejection struct {
	Reason Word  `json:"reason"`
	AtUS   int64 `json:"at_us"`
}

// Rejection is what the run says against the credentials; nil: nothing. One that was
// refused before it began is answered by any that begins.
func (r *StoredRun) Rejection() *StoredRejection {
	if r.Status != Word(RunFailed) || r.Refused || !credentialShaped(normalise(r.Reason)) {
		return nil
	}
	return &StoredRejection{Reason: r.Reason, AtUS: r.EndedUS}
}

// StreamAccount is how much of what there was of a stream a run collected. nil:
// it did not count.
type StreamAccount struct {
	Considered *int64 `json:"considered,omitempty"`
	Collected  *int64 `json:"collected,omitempty"`
}

// StoredGaps counts the detail gaps that are still to be fetched. The counts are
// exact: they move with each gap.
type StoredGaps struct {
	Streams []StreamGaps `json:"streams,omitempty"` // those with open gaps, by name
	// Of the gaps under source pressure alone.
	MaxAttempts   int64 `json:"max_attempts,omitempty"`
	NextAttemptUS int64 `json:"next_attempt_us,omitempty"` // before it none is tried again
	Recovered     int64 `json:"recovered,omitempty"`
}

// StreamGaps counts one stream's open gaps.
type StreamGaps struct {
	Stream   string `json:"stream"`
	Pressure int64  `json:"pressure,omitempty"` // left because the source was under pressure
	Other    int64  `json:"other,omitempty"`
}

// Open counts the gaps that are to be fetched: under source pressure, and for
// other reasons.
func (g *StoredGaps) Open() (pressure, other int64) {
	for i := range g.Streams {
		pressure += g.Streams[i].Pressure
		other += g.Streams[i].Other
	}
	return pressure, other
}

// StoredPressure says that a run ended under source pressure and left no gap to
// say so.
type StoredPressure struct {
	Reason        Word  `json:"reason"`
	AtUS          int64 `json:"at_us"`
	NextAttemptUS int64 `json:"next_attempt_us,omitempty"` // 0: the provider did not say
}

// StoredHold says that the scheduler would have run the connection and did not,
// or could not. The next run to begin ends it.
type StoredHold struct {
	Kind    HoldKind `json:"kind"`
	Reason  Word     `json:"reason"` // the host's own word
	AtUS    int64    `json:"at_us"`
	UntilUS int64    `json:"until_us,omitempty"` // of HeldUntil
}

// HoldKind says what ends a hold.
type HoldKind string

// The kinds of hold.
const (
	HeldUntil    HoldKind = "until"    // a time
	HeldForGood  HoldKind = "for_good" // a run of the owner's: it failed too often
	HeldForOwner HoldKind = "owner"    // something that only the owner can put right
)

// KeepGaps returns what of a run's known gaps coverage depends on: those that
// weigh something, or say that there was nothing, each sort of them once, without the
// words of their reasons but for what those weigh.
func KeepGaps(gaps []KnownGap) []KnownGap {
	var kept []KnownGap
	for i := range gaps {
		g := gaps[i]
		switch clears := g.ownerClears(); {
		case g.weigh() != weighsNothing:
			if g.Reason = ""; clears && !g.ownerClears() {
				g.Reason = "manual_action"
			}
		case g.Reason == nothingFound:
			g = KnownGap{Stream: g.Stream, Severity: "informational", Reason: nothingFound}
		default:
			continue
		}
		if !slices.Contains(kept, g) {
			kept = append(kept, g)
		}
	}
	return kept
}

// RunReason is the reason of a run that did not succeed, as a projection reads
// it: the connector's own code where the connector ended the run, else the
// host's; of a run that was refused, the refusal's. A connector that asks for new credentials says what is wrong whatever
// its code is called.
func RunReason(reason abi.Reason, code, recoveryHint string) Word {
	if reason == abi.ReasonRunRefused && code != "" {
		return Word(code)
	}
	switch reason {
	case abi.ReasonConnectorReportedFailed, abi.ReasonConnectorReportedCancelled:
	default:
		return Word(reason)
	}
	if recoveryHint == "refresh_credentials" && !credentialShaped(normalise(Word(code))) {
		return "credential_rejected"
	}
	if code == "" || code == "connector.failed" {
		return Word(reason)
	}
	return Word(code)
}
