package stored

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
)

// Facts holds all facts about one connection from which it is projected. It holds no
// conclusions. A store keeps it as one document a connection and updates it with the
// facts behind it; Evidence derives its meaning at a moment. A nil part was not
// gathered, or never happened.
//
// Times are microseconds since 1970 UTC, 0 for none, so a document equals, to the
// byte, one that is rebuilt from the same facts.
type Facts struct {
	// Manifest is the relevant part of the accepted manifest. nil: none was accepted
	// yet.
	Manifest *Manifest `json:"manifest,omitempty"`

	Latest    *Run `json:"latest,omitempty"`    // the newest, ended or not
	Settled   *Run `json:"settled,omitempty"`   // the newest that succeeded or failed
	Succeeded *Run `json:"succeeded,omitempty"` // the newest that succeeded

	// Rejected is the last rejection of the credentials. nil: a run has signed in
	// since, or there was none.
	Rejected *Rejection `json:"rejected,omitempty"`

	// KnownGaps are the known gaps that KeepGaps retains: those of the settled run,
	// and for streams that it did not collect those of the runs before.
	KnownGaps []health.KnownGap `json:"known_gaps,omitempty"`
	// RejectedRecords counts, by stream, the records that failed their schema and that
	// no run has delivered since, however many runs ended meanwhile.
	RejectedRecords []RejectedRecords `json:"rejected_records,omitempty"`
	// Unread are files of its folders that the last run did not read. nil: the connection has
	// no folders, or no run has looked at all of them.
	Unread *UnreadFiles `json:"unread,omitempty"`
	// Fault is set while the last runs ended over the connector's own fault.
	Fault *Fault `json:"fault,omitempty"`
	// Repeat is set while the last runs failed, over something that is no fault of the
	// connector's code.
	Repeat *Repeat `json:"repeat,omitempty"`
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
	// ButFilesUS is, by stream, the same of the last such run that skipped the stream. It is read where the
	// owner has said that what was skipped may stay as it is.
	ButFilesUS map[string]int64 `json:"but_files_us,omitempty"`
	// Failed are the streams, sorted, that a run failed to collect and no run has
	// collected since.
	Failed []string `json:"failed,omitempty"`

	Gaps     Gaps      `json:"gaps"`
	Pressure *Pressure `json:"pressure,omitempty"`
	Hold     *Hold     `json:"hold,omitempty"`
	// Asking is the kind of the question that the running run waits for its owner's answer to;
	// "": for none.
	Asking health.Word `json:"asking,omitempty"`
	// AskingUntilUS is until when it waits; 0: as long as the run.
	AskingUntilUS int64 `json:"asking_until_us,omitempty"`
	// Surface is the browser of the running run; nil: it uses none so far.
	Surface *Surface `json:"surface,omitempty"`

	Credential *Credential      `json:"credential,omitempty"`
	Schedule   *health.Schedule `json:"schedule,omitempty"`

	// Device: an enrolled device feeds the connection, or did before it was revoked.
	// nil: none ever did.
	Device *Device `json:"device,omitempty"`

	// Retained is the number of records that the store holds of the connection, without those of coverage_diagnostics. It
	// changes with every batch and is stored beside the document. nil: unknown.
	Retained *int64 `json:"-"`
	// Unreadable names facts that could not be read when the document was made, or the
	// document itself. The rest of the document is then not to be trusted.
	Unreadable []health.Word `json:"unreadable,omitempty"`
}

// Manifest is the part of a manifest on which health depends.
type Manifest struct {
	Refresh           *health.Refresh         `json:"refresh,omitempty"`
	MaximumStalenessS int64                   `json:"maximum_staleness_s,omitempty"` // 0: no window is declared
	Streams           []health.ManifestStream `json:"streams,omitempty"`
	Module            string                  `json:"module,omitempty"` // the sha256 of the accepted module
	// Credentials are the fields, sorted, without which the connector cannot sign in.
	Credentials []string `json:"credentials,omitempty"`
	// Browser says how the connector uses a browser: BrowserRequired, BrowserOptional; "":
	// not at all.
	Browser string `json:"browser,omitempty"`
}

// Run identifies a run and holds the facts that a projection needs.
type Run struct {
	ID        string      `json:"id"`
	Status    health.Word `json:"status"` // the store's word: running succeeded failed cancelled abandoned
	Reason    health.Word `json:"reason,omitempty"`
	StartedUS int64       `json:"started_us"`
	EndedUS   int64       `json:"ended_us,omitempty"`
	// Missed are the streams that an unsuccessful run failed to collect: those that it
	// named, else all that were requested. nil: unknown.
	Missed []string `json:"missed,omitempty"`
	// Refused: the run was refused before it began, and its reason is the refusal's.
	Refused bool `json:"refused,omitempty"`
	// Submitted: it has sent a secret of the owner's to a site that had not let it in when the
	// run ended; of a run that has not ended: that has not let it in so far.
	Submitted bool `json:"submitted,omitempty"`
	// Renewed: the service refused a credential that it had just renewed (AC-11).
	Renewed bool `json:"renewed,omitempty"`
	// OwnerActs: it failed over something that only its owner can put right, such as an export of
	// another account in the folder.
	OwnerActs bool `json:"owner_acts,omitempty"`
	// Device is the device that ran it; "": this host.
	Device string `json:"device,omitempty"`
	// Cause is what stopped it; nil: it succeeded, or the cause is unknown.
	Cause *Stop `json:"cause,omitempty"`
}

// Rejection records that a run failed over its credentials.
type Rejection struct {
	Reason health.Word `json:"reason"`
	AtUS   int64       `json:"at_us"`
	// Renewed: what was rejected had just been renewed, so that signing in again may not help.
	Renewed bool `json:"renewed,omitempty"`
}

// Rejection returns the run's evidence against the credentials, nil for none. The
// rejection of a run that was refused before it began ends with any run that begins.
func (r *Run) Rejection() *Rejection {
	if r.Status != health.Word(health.RunFailed) || r.Refused || !health.CredentialShaped(health.Normalise(r.Reason)) {
		return nil
	}
	return &Rejection{Reason: r.Reason, AtUS: r.EndedUS, Renewed: r.Renewed}
}

// StreamAccount is the share of a stream that a run collected. nil: not counted.
type StreamAccount struct {
	Considered *int64 `json:"considered,omitempty"`
	Collected  *int64 `json:"collected,omitempty"`
}

// Gaps counts the open detail gaps. The counts are exact: they change with each
// gap.
type Gaps struct {
	Streams []StreamGaps `json:"streams,omitempty"` // those with open gaps, or with items that are gone, by name
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
	// Failing counts those of Other that two runs or more asked for in vain.
	Failing int64 `json:"failing,omitempty"`
	// Gone counts the items that their provider said twice are gone or forbidden. They are neither
	// open nor missing: no run fetches them.
	Gone int64 `json:"gone,omitempty"`
}

// Open returns the number of open gaps: under source pressure, and for other reasons.
func (g *Gaps) Open() (pressure, other int64) {
	for i := range g.Streams {
		pressure += g.Streams[i].Pressure
		other += g.Streams[i].Other
	}
	return pressure, other
}

// Pressure records that a run ended under source pressure and left no gap that
// shows it.
type Pressure struct {
	Reason        health.Word `json:"reason"`
	AtUS          int64       `json:"at_us"`
	NextAttemptUS int64       `json:"next_attempt_us,omitempty"` // 0: the provider gave none
}

// Hold records that the scheduler wanted to run the connection and did not, or
// could not. The next run that begins ends it.
type Hold struct {
	Kind    HoldKind    `json:"kind"`
	Reason  health.Word `json:"reason"` // the host's own word
	AtUS    int64       `json:"at_us"`
	UntilUS int64       `json:"until_us,omitempty"` // set for HeldUntil
	Says    string      `json:"says,omitempty"`     // of a folder: the host's words, without its path
	Folder  string      `json:"-"`                  // the folder's path, which is kept with the connection
}

// HoldKind is the event that ends a hold.
type HoldKind string

// The kinds of hold.
const (
	HeldUntil    HoldKind = "until"    // a time
	HeldForGood  HoldKind = "for_good" // a run that the owner starts: it failed too often
	HeldForOwner HoldKind = "owner"    // an action that only the owner can take
)

const (
	mostAbout = 16 // skips that are told apart by what they are about
	mostSaid  = 4  // gaps that are kept with their words
)

// KeepGaps returns the part of a run's known gaps on which coverage depends: those
// with a weight, and those that report that there was nothing. Each sort is listed
// once, without the text of its reason except where the reason has a weight, and without
// its words except for the first that have some.
func KeepGaps(gaps []health.KnownGap) []health.KnownGap {
	var kept []health.KnownGap
	about, said := 0, 0
	for i := range gaps {
		g := gaps[i]
		if g.About != "" && about == mostAbout {
			g.About = ""
		}
		if said == mostSaid {
			g.Says = ""
		}
		switch clears := g.OwnerClears(); {
		case g.Weighs():
			if g.Reason = ""; clears && !g.OwnerClears() {
				g.Reason = "manual_action"
			}
		case g.Reason == nothingFound:
			g = health.KnownGap{Stream: g.Stream, Severity: "informational", Reason: nothingFound}
		default:
			continue
		}
		if !slices.Contains(kept, g) {
			kept = append(kept, g)
			if g.About != "" {
				about++
			}
			if g.Says != "" {
				said++
			}
		}
	}
	return kept
}

// RunReason returns the reason of an unsuccessful run for a projection: the
// connector's own code if the connector ended the run, the refusal's code if it was
// refused, else the host's. If a connector asks for new credentials, its code counts
// as a credential problem whatever its text.
func RunReason(reason abi.Reason, code, recoveryHint string) health.Word {
	if reason == abi.ReasonRunRefused && code != "" {
		return health.Word(code)
	}
	switch reason {
	case abi.ReasonConnectorReportedFailed, abi.ReasonConnectorReportedCancelled:
	default:
		return health.Word(reason)
	}
	if recoveryHint == "refresh_credentials" && !health.CredentialShaped(health.Normalise(health.Word(code))) {
		return "credential_rejected"
	}
	if code == "" || code == "connector.failed" {
		return health.Word(reason)
	}
	return health.Word(code)
}
