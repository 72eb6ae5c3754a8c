package health

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Evidence is the complete input of a projection: facts about one connection in one
// generation of it. A nil part was not gathered, which differs from a part in which
// nothing was found.
type Evidence struct {
	// ObservedAt is the time of the projection, the only "now".
	ObservedAt Instant `json:"observed_at"`
	// Run is the latest run that ended. nil: no run has ended.
	Run       *Run             `json:"run"`
	Backoff   *Backoff         `json:"backoff"`
	Attention *Attention       `json:"attention"`
	Coverage  *Coverage        `json:"coverage"`
	Freshness *FreshnessResult `json:"freshness"`
	Outbox    *Outbox          `json:"outbox"`
	// LocalDeviceBacked: an enrolled device's collector feeds the connection.
	LocalDeviceBacked bool               `json:"local_device_backed"`
	Projection        ProjectionEvidence `json:"projection"`
	// Schedule is the schedule's row. nil: there is none.
	Schedule *Schedule `json:"schedule"`
	// Refresh is the manifest's policy. nil: the connector can be scheduled.
	Refresh       *Refresh       `json:"refresh"`
	RemoteSurface *RemoteSurface `json:"remote_surface"`
	Activity      *Activity      `json:"activity"`
	DetailGaps    *DetailGaps    `json:"detail_gaps"`
	// Credentials describes the stored credentials. nil: not gathered.
	Credentials    *Credentials `json:"credentials"`
	CollectionRate abi.Raw      `json:"collection_rate,omitempty"` // passed through to the detail
}

// RunStatus is the result of a run that ended. A run that its owner cancelled is not a
// failure: the evidence holds the run before it.
type RunStatus string

// The results of a run.
const (
	RunSucceeded RunStatus = "succeeded"
	RunFailed    RunStatus = "failed"
)

// Run is the latest run that ended. Any status other than these two is read as if no
// run had ended.
type Run struct {
	LatestStatus  RunStatus `json:"latest_status"`
	ReasonCode    Word      `json:"reason_code"`
	LastSuccessAt Instant   `json:"last_success_at"`
	// HasDegradingGaps is information for readers of the evidence; gaps take effect
	// through the coverage.
	HasDegradingGaps bool `json:"has_degrading_gaps"`
}

// Backoff is the current delay of the retry policy. ReasonClass may carry a prefix up
// to its first colon that names the classifier.
type Backoff struct {
	ConsecutiveFailures int     `json:"consecutive_failures"`
	NextRunAt           Instant `json:"next_run_at"`
	ReasonClass         Word    `json:"reason_class"`
	RecordedAt          Instant `json:"recorded_at"`
}

// Credentials describes the credentials that the host stores for the connector.
type Credentials struct {
	Stored bool `json:"stored"`
	// Removed: a credential that the connector requires, and that the latest run could
	// use, was removed since. Unconfirmed: it was removed, and another is stored.
	Removed     bool `json:"removed,omitempty"`
	Unconfirmed bool `json:"unconfirmed,omitempty"`
	// NeverIn: no run has ever signed in, and a required credential is not stored.
	NeverIn bool `json:"never_in,omitempty"`
	// Rejected is the reason of the last run that failed over the credentials, unless
	// later evidence settles the question. "": they were not rejected, or it is
	// unknown.
	Rejected Word `json:"rejected,omitempty"`
}

// WasRemoved is Removed, false for evidence that was not gathered.
func (c *Credentials) WasRemoved() bool { return c != nil && c.Removed }

// unconfirmed and neverIn are false for evidence that was not gathered.
func (c *Credentials) unconfirmed() bool { return c != nil && c.Unconfirmed && !c.Removed }
func (c *Credentials) neverIn() bool     { return c != nil && c.NeverIn }

// FirstSignIn reports whether signing in would be the owner's first time, not a
// repetition: no run has ever signed in, or the credential was removed.
func (c *Credentials) FirstSignIn() bool { return c.WasRemoved() || c.neverIn() }

// Coverage is the connection's rolled-up coverage.
type Coverage struct {
	Axis CoverageAxis `json:"axis"`
	// RequiredButAccepted: the manifest requires a stream and declares it absent.
	RequiredButAccepted bool `json:"required_but_accepted"`
	// Streams are the streams behind the axis, as the manifest names them.
	Streams []string `json:"streams,omitempty"`
}

// FreshnessResult is the result of Freshness.
type FreshnessResult struct {
	Axis FreshnessAxis `json:"axis"`
}

// Outbox summarizes the trusted heartbeats of a device.
type Outbox struct {
	Axis   OutboxState   `json:"axis"`
	Cause  StalledCause  `json:"cause"` // ignored unless the axis is stalled
	Counts *OutboxCounts `json:"counts,omitempty"`
	// Left: a device reported work that it still holds, counted or not.
	Left bool `json:"left,omitempty"`
}

// ProjectionEvidence lists the read models that could not be read.
type ProjectionEvidence struct {
	UnreliableSources []Word `json:"unreliable_sources"`
}

// Schedule is the schedule's row.
type Schedule struct {
	Enabled bool `json:"enabled"`
}

// Activity reports whether a run or a durable work item is live now.
type Activity struct {
	Active bool `json:"active"`
}

// RemoteSurface describes the managed browser surface.
type RemoteSurface struct {
	Axis          SurfaceAxis `json:"axis"`
	LeaseStatus   Word        `json:"lease_status"`
	WaitReason    Word        `json:"wait_reason"`
	LeaseID       Word        `json:"lease_id"`
	SurfaceID     Word        `json:"surface_id"`
	ProfileKey    Word        `json:"profile_key"`
	SurfaceHealth Word        `json:"surface_health"`
}

// Collected reports whether the manifest requires the stream and means to collect it.
func (m *ManifestStream) Collected() bool { return m.IsRequired() && !m.CoveragePolicy.Accepted() }

// HasUnplacedGap reports whether the last run left a gap without a stream. No stream can
// then be called complete.
func (e *RunEvidence) HasUnplacedGap() bool {
	return e != nil && slices.ContainsFunc(e.KnownGaps, func(g KnownGap) bool { return g.Stream == "" && g.Weighs() })
}
