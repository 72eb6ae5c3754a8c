package health

import "github.com/pdpp-host/pdpp-host/abi"

// Evidence is all that a projection is made of: facts about one connection in
// one generation of it. A nil part is one that nobody looked at; it is never
// the same as one in which nothing was found.
type Evidence struct {
	// ObservedAt is the moment of the projection, the only "now" there is.
	ObservedAt Instant `json:"observed_at"`
	// Run is the latest run that ended. nil: none ever did.
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
	// Credentials says what is stored to sign in with. nil: nobody looked.
	Credentials    *Credentials `json:"credentials"`
	CollectionRate abi.Raw      `json:"collection_rate,omitempty"` // passed through to the detail
}

// RunStatus is how a run that ended went. A run that its owner cancelled is not
// a failure: the evidence holds the run before it.
type RunStatus string

// How a run ended.
const (
	RunSucceeded RunStatus = "succeeded"
	RunFailed    RunStatus = "failed"
)

// Run is the latest run that ended. A status that is neither of the two reads
// as if no run had ended.
type Run struct {
	LatestStatus  RunStatus `json:"latest_status"`
	ReasonCode    Word      `json:"reason_code"`
	LastSuccessAt Instant   `json:"last_success_at"`
	// HasDegradingGaps is for whoever reads the evidence; gaps act through the
	// coverage.
	HasDegradingGaps bool `json:"has_degrading_gaps"`
}

// Backoff is the retry policy's current fact. ReasonClass may carry a prefix up
// to its first colon, which says who classed it.
type Backoff struct {
	ConsecutiveFailures int     `json:"consecutive_failures"`
	NextRunAt           Instant `json:"next_run_at"`
	ReasonClass         Word    `json:"reason_class"`
	RecordedAt          Instant `json:"recorded_at"`
}

// Credentials says what the host keeps of what the connector signs in with.
type Credentials struct {
	Stored bool `json:"stored"`
	// Removed: one that the connector requires, and that the latest run could use,
	// was taken away since. Unconfirmed: it was, and there is another.
	Removed     bool `json:"removed,omitempty"`
	Unconfirmed bool `json:"unconfirmed,omitempty"`
	// NeverIn: no run ever got in, and what a run needs for that is not stored.
	NeverIn bool `json:"never_in,omitempty"`
	// Rejected is the reason of the last run that failed over them, where nothing has
	// said anything of them since. "": they were not rejected, or nobody knows it.
	Rejected Word `json:"rejected,omitempty"`
}

// removed, unconfirmed and neverIn are false where nobody looked.
func (c *Credentials) removed() bool     { return c != nil && c.Removed }
func (c *Credentials) unconfirmed() bool { return c != nil && c.Unconfirmed && !c.Removed }
func (c *Credentials) neverIn() bool     { return c != nil && c.NeverIn }

// FirstSignIn reports whether the owner who is to sign in has nothing to do again:
// no run ever got in, or the credential was taken away.
func (c *Credentials) FirstSignIn() bool { return c.removed() || c.neverIn() }

// Coverage is the connection's rolled-up coverage.
type Coverage struct {
	Axis CoverageAxis `json:"axis"`
	// RequiredButAccepted: the manifest requires a stream and declares it absent.
	RequiredButAccepted bool `json:"required_but_accepted"`
	// Streams are those that the axis speaks of, as the manifest names them.
	Streams []string `json:"streams,omitempty"`
}

// FreshnessResult is what Freshness found.
type FreshnessResult struct {
	Axis FreshnessAxis `json:"axis"`
}

// Outbox is what the trusted heartbeats of a device say.
type Outbox struct {
	Axis   OutboxState   `json:"axis"`
	Cause  StalledCause  `json:"cause"` // ignored unless the axis is stalled
	Counts *OutboxCounts `json:"counts,omitempty"`
	// Left: a device told of work that has not left it, counted or not.
	Left bool `json:"left,omitempty"`
}

// ProjectionEvidence says which read models could not be read.
type ProjectionEvidence struct {
	UnreliableSources []Word `json:"unreliable_sources"`
}

// Schedule is the schedule's row.
type Schedule struct {
	Enabled bool `json:"enabled"`
}

// Activity says whether a run or a durable work item is live now.
type Activity struct {
	Active bool `json:"active"`
}

// RemoteSurface is what is known of the managed browser surface.
type RemoteSurface struct {
	Axis          SurfaceAxis `json:"axis"`
	LeaseStatus   Word        `json:"lease_status"`
	WaitReason    Word        `json:"wait_reason"`
	LeaseID       Word        `json:"lease_id"`
	SurfaceID     Word        `json:"surface_id"`
	ProfileKey    Word        `json:"profile_key"`
	SurfaceHealth Word        `json:"surface_health"`
}
