package health

// Type names a family of conditions. There is exactly one of each in a
// snapshot, in the order of Types.
type Type string

// The types of condition.
const (
	ProjectionReliable     Type = "ProjectionReliable"
	ScheduleEligible       Type = "ScheduleEligible"
	RetryPolicyClear       Type = "RetryPolicyClear"
	AttentionClear         Type = "AttentionClear"
	CollectionSucceeded    Type = "CollectionSucceeded"
	CredentialsValid       Type = "CredentialsValid"
	RuntimeAvailable       Type = "RuntimeAvailable"
	RemoteSurfaceAvailable Type = "RemoteSurfaceAvailable"
	LocalExporterAvailable Type = "LocalExporterAvailable"
	SourceCoverageComplete Type = "SourceCoverageComplete"
	Fresh                  Type = "Fresh"
	BacklogClear           Type = "BacklogClear"
)

// Types is every type in the order in which a snapshot holds them.
var Types = [...]Type{
	ProjectionReliable, ScheduleEligible, RetryPolicyClear, AttentionClear, CollectionSucceeded, CredentialsValid,
	RuntimeAvailable, RemoteSurfaceAvailable, LocalExporterAvailable, SourceCoverageComplete, Fresh, BacklogClear,
}

// The position of each type in Types, for code that looks one up.
const (
	atProjection = iota
	atSchedule
	atRetry
	atAttention
	atCollection
	atCredentials
	atRuntime
	atSurface
	atExporter
	atCoverage
	atFresh
	atBacklog
	conditionCount
)

// Status is a condition's answer. There are three; a question that can never be
// answered is unknown as well, with a reason that says so (HL-02).
type Status string

// The three answers.
const (
	True    Status = "true"
	False   Status = "false"
	Unknown Status = "unknown"
)

// Severity is the weight of a condition that is not true.
type Severity string

// The severities, the lightest first.
const (
	Info    Severity = "info"
	Warning Severity = "warning"
	Error   Severity = "error"
	Blocked Severity = "blocked"
)

// Origin is the source of a condition's evidence.
type Origin string

// The origins.
const (
	OriginConnector     Origin = "connector"
	OriginLocalDevice   Origin = "local_device"
	OriginOperator      Origin = "operator"
	OriginReadModel     Origin = "read_model"
	OriginReadiness     Origin = "readiness"
	OriginRemoteSurface Origin = "remote_surface"
	OriginRuntime       Origin = "runtime"
	OriginScheduler     Origin = "scheduler"
)

// Sensitivity defines who may see a condition. SecretRedacted: a detail was removed
// because it was, or could have been, a secret.
type Sensitivity string

// The sensitivities.
const (
	Public         Sensitivity = "public"
	OwnerOnly      Sensitivity = "owner"
	SecretRedacted Sensitivity = "secret_redacted"
)

// Remediation is the action that would make a condition true, and who has to take it.
type Remediation struct {
	Action    string `json:"action"` // check_runtime clear_backlog refresh_credentials retry_by_runtime satisfy_attention update_connector wait
	Label     string `json:"label"`
	Target    Word   `json:"target"`
	Retryable bool   `json:"retryable"`
}

// Condition is one typed answer about a connection. Message and Remediation are fixed
// text. Reason is a stable code; it may be a connector's own code that passed reasonOf.
type Condition struct {
	ID          string       `json:"id"` // type:reason
	Type        Type         `json:"type"`
	Status      Status       `json:"status"`
	Severity    Severity     `json:"severity"`
	Reason      Word         `json:"reason"`
	Message     string       `json:"message"`
	Origin      Origin       `json:"origin"`
	ObservedAt  Instant      `json:"observed_at"`
	ExpiresAt   Instant      `json:"expires_at"`
	Current     bool         `json:"current"` // false: it has expired and has no effect
	Sensitivity Sensitivity  `json:"sensitivity"`
	Remediation *Remediation `json:"remediation"`
	// Streams are the streams that the condition is about (HL-05.1).
	Streams []string `json:"streams,omitempty"`
}

// is reports whether the condition is current and has the status.
func (c *Condition) is(s Status) bool { return c.Current && c.Status == s }

// blocking reports whether the condition is current, false, and blocks.
func (c *Condition) blocking() bool { return c.is(False) && c.Severity == Blocked }
