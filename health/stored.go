package health

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Stored holds all facts about one connection from which it is projected. It holds no
// conclusions. A store keeps it as one document a connection and updates it with the
// facts behind it; Evidence derives its meaning at a moment. A nil part was not
// gathered, or never happened.
//
// Times are microseconds since 1970 UTC, 0 for none, so a document equals, to the
// byte, one that is rebuilt from the same facts.
type Stored struct {
	// Manifest is the relevant part of the accepted manifest. nil: none was accepted
	// yet.
	Manifest *StoredManifest `json:"manifest,omitempty"`

	Latest    *StoredRun `json:"latest,omitempty"`    // the newest, ended or not
	Settled   *StoredRun `json:"settled,omitempty"`   // the newest that succeeded or failed
	Succeeded *StoredRun `json:"succeeded,omitempty"` // the newest that succeeded

	// Rejected is the last rejection of the credentials. nil: a run has signed in
	// since, or there was none.
	Rejected *StoredRejection `json:"rejected,omitempty"`

	// KnownGaps are the known gaps that KeepGaps retains: those of the settled run,
	// and for streams that it did not collect those of the runs before.
	KnownGaps []KnownGap `json:"known_gaps,omitempty"`
	// RejectedRecords counts, by stream, the records that failed their schema and that
	// no run has delivered since, however many runs ended meanwhile.
	RejectedRecords []RejectedRecords `json:"rejected_records,omitempty"`
	// Fault is set while the last runs ended over the connector's own fault.
	Fault *StoredFault `json:"fault,omitempty"`
	// Asked are the streams that a run has to collect before gaps without a stream are
	// resolved.
	Asked []string `json:"asked,omitempty"`

	// Facts of the settled run.
	Committed *int64                    `json:"committed,omitempty"` // records
	Drained   *int64                    `json:"drained,omitempty"`   // detail gaps that it filled
	Accounts  map[string]*StreamAccount `json:"accounts,omitempty"`  // by stream

	// CollectedUS is, by stream, the last time at which a run collected all of it: a
	// run that succeeded, or named the other streams that it failed to collect,
	// without skipping this one or holding its cursor back.
	CollectedUS map[string]int64 `json:"collected_us,omitempty"`
	// Failed are the streams, sorted, that a run failed to collect and no run has
	// collected since.
	Failed []string `json:"failed,omitempty"`

	Gaps     StoredGaps      `json:"gaps"`
	Pressure *StoredPressure `json:"pressure,omitempty"`
	Hold     *StoredHold     `json:"hold,omitempty"`
	// Asking: the running run waits for its owner's answer.
	Asking bool `json:"asking,omitempty"`

	Credential *StoredCredential `json:"credential,omitempty"`
	Schedule   *Schedule         `json:"schedule,omitempty"`

	// Device: an enrolled device feeds the connection, or did before it was revoked.
	// nil: none ever did.
	Device *StoredDevice `json:"device,omitempty"`

	// Retained is the number of records that the store holds of the connection. It
	// changes with every batch and is stored beside the document. nil: unknown.
	Retained *int64 `json:"-"`
	// Unreadable names facts that could not be read when the document was made, or the
	// document itself. The rest of the document is then not to be trusted.
	Unreadable []Word `json:"unreadable,omitempty"`
}

// StoredManifest is the part of a manifest on which health depends.
type StoredManifest struct {
	Refresh           *Refresh         `json:"refresh,omitempty"`
	MaximumStalenessS int64            `json:"maximum_staleness_s,omitempty"` // 0: no window is declared
	Streams           []ManifestStream `json:"streams,omitempty"`
	Module            string           `json:"module,omitempty"` // the sha256 of the accepted module
	// Credentials are the fields, sorted, without which the connector cannot sign in.
	Credentials []string `json:"credentials,omitempty"`
}

// StoredRun identifies a run and holds the facts that a projection needs.
type StoredRun struct {
	ID        string `json:"id"`
	Status    Word   `json:"status"` // the store's word: running succeeded failed cancelled abandoned
	Reason    Word   `json:"reason,omitempty"`
	StartedUS int64  `json:"started_us"`
	EndedUS   int64  `json:"ended_us,omitempty"`
	// Missed are the streams that an unsuccessful run failed to collect: those that it
	// named, else all that were requested. nil: unknown.
	Missed []string `json:"missed,omitempty"`
	// Refused: the run was refused before it began, and its reason is the refusal's.
	Refused bool `json:"refused,omitempty"`
	// Device is the device that ran it; "": this host.
	Device string `json:"device,omitempty"`
	// Cause is what stopped it; nil: it succeeded, or the cause is unknown.
	Cause *StoredCause `json:"cause,omitempty"`
}

// StoredRejection records that a run failed over its credentials.
type StoredRejection struct {
	Reason Word  `json:"reason"`
	AtUS   int64 `json:"at_us"`
}

// Rejection returns the run's evidence against the credentials, nil for none. The
// rejection of a run that was refused before it began ends with any run that begins.
func (r *StoredRun) Rejection() *StoredRejection {
	if r.Status != Word(RunFailed) || r.Refused || !credentialShaped(normalise(r.Reason)) {
		return nil
	}
	return &StoredRejection{Reason: r.Reason, AtUS: r.EndedUS}
}

// StreamAccount is the share of a stream that a run collected. nil: not counted.
type StreamAccount struct {
	Considered *int64 `json:"considered,omitempty"`
	Collected  *int64 `json:"collected,omitempty"`
}

// StoredGaps counts the open detail gaps. The counts are exact: they change with each
// gap.
type StoredGaps struct {
	Streams []StreamGaps `json:"streams,omitempty"` // those with open gaps, by name
	// Over the gaps under source pressure only.
	MaxAttempts   int64 `json:"max_attempts,omitempty"`
	NextAttemptUS int64 `json:"next_attempt_us,omitempty"` // no gap is retried before it
	Recovered     int64 `json:"recovered,omitempty"`
}

// StreamGaps counts one stream's open gaps.
type StreamGaps struct {
	Stream   string `json:"stream"`
	Pressure int64  `json:"pressure,omitempty"` // left because the source was under pressure
	Other    int64  `json:"other,omitempty"`
}

// Open returns the number of open gaps: under source pressure, and for other reasons.
func (g *StoredGaps) Open() (pressure, other int64) {
	for i := range g.Streams {
		pressure += g.Streams[i].Pressure
		other += g.Streams[i].Other
	}
	return pressure, other
}

// StoredPressure records that a run ended under source pressure and left no gap that
// shows it.
type StoredPressure struct {
	Reason        Word  `json:"reason"`
	AtUS          int64 `json:"at_us"`
	NextAttemptUS int64 `json:"next_attempt_us,omitempty"` // 0: the provider gave none
}

// StoredHold records that the scheduler wanted to run the connection and did not, or
// could not. The next run that begins ends it.
type StoredHold struct {
	Kind    HoldKind `json:"kind"`
	Reason  Word     `json:"reason"` // the host's own word
	AtUS    int64    `json:"at_us"`
	UntilUS int64    `json:"until_us,omitempty"` // set for HeldUntil
}

// HoldKind is the event that ends a hold.
type HoldKind string

// The kinds of hold.
const (
	HeldUntil    HoldKind = "until"    // a time
	HeldForGood  HoldKind = "for_good" // a run that the owner starts: it failed too often
	HeldForOwner HoldKind = "owner"    // an action that only the owner can take
)

// KeepGaps returns the part of a run's known gaps on which coverage depends: those
// with a weight, and those that report that there was nothing. Each sort is listed
// once, without the text of its reason except where the reason has a weight.
func KeepGaps(gaps []KnownGap) []KnownGap {
	var kept []KnownGap
	for i := range gaps {
		g := gaps[i]
		switch clears := g.ownerClears(); {
		case g.weightOf() != weighsNothing:
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

// RunReason returns the reason of an unsuccessful run for a projection: the
// connector's own code if the connector ended the run, the refusal's code if it was
// refused, else the host's. If a connector asks for new credentials, its code counts
// as a credential problem whatever its text.
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
