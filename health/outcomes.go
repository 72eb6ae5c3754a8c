package health

// outcome is one row of the table of conditions: one possible value of a condition of
// a type. Every sentence of a condition is written here once.
type outcome struct {
	typ      Type
	status   Status
	severity Severity
	reason   Word // the reason, unless outside text supplies a better one
	origin   Origin
	message  string
	remedy   *Remediation // always copied before it is returned
	redacted bool         // details were removed in every case
}

// The outcomes. A row's index in the table is its name.
const (
	projectionUnreliable = iota
	projectionCurrent
	scheduleNone
	schedulePaused
	scheduleEnabled
	retryClear
	retryExpired
	retryExhausted
	retryWaiting
	attentionNone
	attentionExpired
	attentionOpen
	attentionSecret
	collectionSucceeded
	collectionFailed
	collectionByDevice
	collectionUnobserved
	collectionDeviceUnproven
	credentialsRejected
	credentialsRequired
	credentialsAccepted
	credentialsUnprobed
	credentialsUnconfirmed
	credentialsNone
	runtimeNoBrowser
	runtimeNoSurface
	runtimeNoBinding
	runtimeNoTool
	runtimeSurfaceFailed
	runtimeUnknown
	runtimeAvailable
	runtimeUnmanaged
	surfaceFailed
	surfaceUnknown
	surfaceAvailable
	surfaceNotRequired
	exporterIdle
	exporterActive
	exporterStalled
	exporterStateRead
	exporterDeadLetter
	exporterStalePending
	exporterUnknown
	exporterNotApplicable
	coverageUnknown
	coverageTerminal
	coverageRetryable
	coverageDegraded
	coverageContradiction
	coverageComplete
	coverageAccepted
	freshFresh
	freshStaleManual
	freshStale
	freshUnknown
	backlogIdle
	backlogActive
	backlogStalled
	backlogStateRead
	backlogDeadLetter
	backlogStalePending
	backlogUnknown
	backlogNotApplicable
	outcomeCount
)

var outcomes = [outcomeCount]outcome{
	projectionUnreliable: {
		typ: ProjectionReliable, status: False, severity: Blocked, reason: "projection_unreliable", origin: OriginReadModel,
		message: "A part of what this connection's health rests on could not be read.",
		remedy:  &Remediation{Action: "wait", Label: "Wait until the evidence can be read again", Retryable: true},
	},
	projectionCurrent: {
		typ: ProjectionReliable, status: True, severity: Info, reason: "projection_current", origin: OriginReadModel,
		message: "Everything that this connection's health rests on was read.",
	},
	scheduleNone: {
		typ: ScheduleEligible, status: Unknown, severity: Info, reason: "schedule_not_configured", origin: OriginScheduler,
		message: "No schedule is set up for this connection.",
	},
	schedulePaused: {
		typ: ScheduleEligible, status: False, severity: Info, reason: "schedule_paused", origin: OriginScheduler,
		message: "The schedule of this connection is paused.",
		remedy:  &Remediation{Action: "wait", Label: "Resume the schedule when you want it to collect again", Target: "schedule"},
	},
	scheduleEnabled: {
		typ: ScheduleEligible, status: True, severity: Info, reason: "schedule_enabled", origin: OriginScheduler,
		message: "The schedule of this connection is on.",
	},
	retryClear: {
		typ: RetryPolicyClear, status: True, severity: Info, reason: "no_active_backoff", origin: OriginScheduler,
		message: "Nothing delays the next run.",
	},
	retryExpired: {
		typ: RetryPolicyClear, status: True, severity: Info, reason: "backoff_expired", origin: OriginScheduler,
		message: "The delay before the next run is over.",
	},
	retryExhausted: {
		typ: RetryPolicyClear, status: False, severity: Blocked, reason: "scheduler_backoff_active", origin: OriginScheduler,
		message: "Too many runs failed in a row; the scheduler has stopped trying often.",
		remedy:  &Remediation{Action: "update_connector", Label: "Find out why the runs fail", Target: "schedule"},
	},
	retryWaiting: {
		typ: RetryPolicyClear, status: False, severity: Warning, reason: "scheduler_backoff_active", origin: OriginScheduler,
		message: "The next run waits until a delay is over.",
		remedy:  &Remediation{Action: "retry_by_runtime", Label: "The next run starts when the delay is over", Target: "schedule", Retryable: true},
	},
	attentionNone: {
		typ: AttentionClear, status: True, severity: Info, reason: "no_open_attention", origin: OriginRuntime,
		message: "Nothing waits for the owner.",
	},
	attentionExpired: {
		typ: AttentionClear, status: True, severity: Info, reason: "attention_expired", origin: OriginRuntime,
		message: "A request to the owner has expired.",
	},
	attentionOpen: {
		typ: AttentionClear, status: False, severity: Blocked, reason: "attention_required", origin: OriginRuntime,
		message: "The connector waits for the owner.",
		remedy:  &Remediation{Action: "satisfy_attention", Label: "Answer the connector's request"},
	},
	attentionSecret: {
		typ: AttentionClear, status: False, severity: Blocked, reason: "attention_required", origin: OriginRuntime,
		message:  "The connector waits for something that only the owner knows.",
		remedy:   &Remediation{Action: "satisfy_attention", Label: "Answer the connector's request"},
		redacted: true,
	},
	collectionSucceeded: {
		typ: CollectionSucceeded, status: True, severity: Info, reason: "collection_succeeded", origin: OriginConnector,
		message: "The latest run succeeded.",
	},
	collectionFailed: {
		typ: CollectionSucceeded, status: False, severity: Warning, reason: "collection_failed", origin: OriginConnector,
		message: "The latest run failed.",
	},
	collectionByDevice: {
		typ: CollectionSucceeded, status: True, severity: Info, reason: "collection_succeeded_local_device", origin: OriginLocalDevice,
		message: "The device has delivered everything, and its coverage is complete.",
	},
	collectionUnobserved: {
		typ: CollectionSucceeded, status: Unknown, severity: Info, reason: "collection_not_observed", origin: OriginConnector,
		message: "No run of this connection has succeeded or failed yet.",
	},
	collectionDeviceUnproven: {
		typ: CollectionSucceeded, status: Unknown, severity: Info, reason: "collection_not_observed", origin: OriginLocalDevice,
		message: "A device sends this connection's records; what it reported does not yet prove a complete and fresh collection.",
	},
	credentialsRejected: {
		typ: CredentialsValid, status: False, severity: Blocked, reason: "credential_rejected", origin: OriginReadiness,
		message:  "The source does not accept the stored credentials.",
		remedy:   &Remediation{Action: "refresh_credentials", Label: "Sign in again", Target: "credentials"},
		redacted: true,
	},
	credentialsRequired: {
		typ: CredentialsValid, status: False, severity: Blocked, reason: "credential_required", origin: OriginReadiness,
		message:  "The connector has to be signed in, and what it needs for that is not stored.",
		remedy:   &Remediation{Action: "refresh_credentials", Label: "Sign in", Target: "credentials"},
		redacted: true,
	},
	credentialsAccepted: {
		typ: CredentialsValid, status: True, severity: Info, reason: "credentials_accepted", origin: OriginReadiness,
		message: "The latest run got in with the stored credentials.",
	},
	credentialsUnprobed: {
		typ: CredentialsValid, status: Unknown, severity: Info, reason: "credentials_not_probed", origin: OriginReadiness,
		message: "Nothing tells yet whether the credentials are accepted.",
	},
	credentialsUnconfirmed: {
		typ: CredentialsValid, status: Unknown, severity: Info, reason: "credential_unconfirmed", origin: OriginReadiness,
		message: "The credentials that the latest run got in with were removed; no run has tried those that are stored now.",
	},
	credentialsNone: {
		typ: CredentialsValid, status: Unknown, severity: Info, reason: "credentials_not_applicable", origin: OriginReadiness,
		message: "No credentials are stored for this connection.",
	},
	runtimeNoBrowser: {
		typ: RuntimeAvailable, status: False, severity: Blocked, reason: "browser_runtime_not_configured", origin: OriginRuntime,
		message: "The connector needs a browser, and this host has none set up.",
		remedy:  &Remediation{Action: "check_runtime", Label: "Set up a browser on this host", Target: "runtime"},
	},
	runtimeNoSurface: {
		typ: RuntimeAvailable, status: False, severity: Blocked, reason: "missing_browser_surface", origin: OriginRuntime,
		message: "The connector needs a browser surface, and none can be used.",
		remedy:  &Remediation{Action: "check_runtime", Label: "Check this host's browser surface", Target: "runtime"},
	},
	runtimeNoBinding: {
		typ: RuntimeAvailable, status: False, severity: Blocked, reason: "runtime_binding_missing", origin: OriginRuntime,
		message: "The connector needs a binding that this host does not give.",
		remedy:  &Remediation{Action: "check_runtime", Label: "Check which bindings this host gives", Target: "runtime"},
	},
	runtimeNoTool: {
		typ: RuntimeAvailable, status: False, severity: Blocked, reason: "external_tool_unavailable", origin: OriginRuntime,
		message: "The connector needs a program that this host does not have.",
		remedy:  &Remediation{Action: "check_runtime", Label: "Install what the connector needs", Target: "runtime"},
	},
	runtimeSurfaceFailed: {
		typ: RuntimeAvailable, status: False, severity: Error, reason: "runtime_unavailable", origin: OriginRemoteSurface,
		message: "The browser surface that the connector runs on has failed.",
		remedy:  &Remediation{Action: "check_runtime", Label: "Check this host's browser surface", Target: "remote_surface", Retryable: true},
	},
	runtimeUnknown: {
		typ: RuntimeAvailable, status: Unknown, severity: Warning, reason: "runtime_state_unknown", origin: OriginRemoteSurface,
		message: "Nothing tells whether what the connector runs on is there.",
	},
	runtimeAvailable: {
		typ: RuntimeAvailable, status: True, severity: Info, reason: "runtime_available", origin: OriginRemoteSurface,
		message: "What the connector runs on is there.",
	},
	runtimeUnmanaged: {
		typ: RuntimeAvailable, status: Unknown, severity: Info, reason: "runtime_not_managed", origin: OriginRuntime,
		message: "The connector runs on nothing that this host manages.",
	},
	surfaceFailed: {
		typ: RemoteSurfaceAvailable, status: False, severity: Error, reason: "remote_surface_failed", origin: OriginRemoteSurface,
		message: "The managed browser surface has failed.",
		remedy:  &Remediation{Action: "check_runtime", Label: "Check this host's browser surface", Target: "remote_surface", Retryable: true},
	},
	surfaceUnknown: {
		typ: RemoteSurfaceAvailable, status: Unknown, severity: Warning, reason: "remote_surface_unknown", origin: OriginRemoteSurface,
		message: "The state of the managed browser surface is not known.",
	},
	surfaceAvailable: {
		typ: RemoteSurfaceAvailable, status: True, severity: Info, reason: "remote_surface_available", origin: OriginRemoteSurface,
		message: "The managed browser surface is there.",
	},
	surfaceNotRequired: {
		typ: RemoteSurfaceAvailable, status: Unknown, severity: Info, reason: "remote_surface_not_required", origin: OriginRemoteSurface,
		message: "The connection uses no managed browser surface.",
	},
	exporterIdle: {
		typ: LocalExporterAvailable, status: True, severity: Info, reason: "local_exporter_idle", origin: OriginLocalDevice,
		message: "The device's exporter is there and has nothing to send.",
	},
	exporterActive: {
		typ: LocalExporterAvailable, status: True, severity: Info, reason: "local_exporter_active", origin: OriginLocalDevice,
		message: "The device's exporter is there and sending.",
	},
	exporterStalled: {
		typ: LocalExporterAvailable, status: False, severity: Error, reason: "local_exporter_stalled", origin: OriginLocalDevice,
		message: "The device's exporter has stalled.",
		remedy:  &Remediation{Action: "clear_backlog", Label: "Check the collector on the host that holds the data", Target: "local_device", Retryable: true},
	},
	exporterStateRead: {
		typ: LocalExporterAvailable, status: False, severity: Error, reason: "local_exporter_state_read_failed", origin: OriginLocalDevice,
		message: "The exporter is blocked reading its earlier state. There is nothing to requeue; re-running the collector on the host clears it.",
		remedy:  &Remediation{Action: "clear_backlog", Label: "Re-run the collector on the host that holds the data", Target: "local_device", Retryable: true},
	},
	exporterDeadLetter: {
		typ: LocalExporterAvailable, status: False, severity: Error, reason: "local_exporter_dead_letter_backlog", origin: OriginLocalDevice,
		message: "Saved records did not upload. Dead-lettered records must be retried and then drained by re-running the collector on the host.",
		remedy:  &Remediation{Action: "clear_backlog", Label: "Retry what did not upload, on the host that holds the data", Target: "local_device", Retryable: true},
	},
	exporterStalePending: {
		typ: LocalExporterAvailable, status: False, severity: Error, reason: "local_exporter_stale_pending", origin: OriginLocalDevice,
		message: "Pending work stopped draining. Re-running the collector on the host resumes it.",
		remedy:  &Remediation{Action: "clear_backlog", Label: "Re-run the collector on the host that holds the data", Target: "local_device", Retryable: true},
	},
	exporterUnknown: {
		typ: LocalExporterAvailable, status: Unknown, severity: Info, reason: "local_exporter_unknown", origin: OriginLocalDevice,
		message: "It is not known whether the device's exporter works.",
	},
	exporterNotApplicable: {
		typ: LocalExporterAvailable, status: Unknown, severity: Info, reason: "local_exporter_not_applicable", origin: OriginLocalDevice,
		message: "No device sends records to this connection.",
	},
	coverageUnknown: {
		typ: SourceCoverageComplete, status: Unknown, severity: Warning, reason: "coverage_unknown", origin: OriginConnector,
		message: "It is not known yet how complete the collection is.",
	},
	coverageTerminal: {
		typ: SourceCoverageComplete, status: False, severity: Blocked, origin: OriginConnector,
		message: "Some data cannot be collected by this version of the connector.",
		remedy:  &Remediation{Action: "update_connector", Label: "The connector's code needs a fix", Target: "coverage"},
	},
	coverageRetryable: {
		typ: SourceCoverageComplete, status: False, severity: Warning, origin: OriginConnector,
		message: "Some details are still missing.",
		remedy:  &Remediation{Action: "retry_by_runtime", Label: "See what is missing, and what mends it", Target: "coverage", Retryable: true},
	},
	coverageDegraded: {
		typ: SourceCoverageComplete, status: False, severity: Warning, origin: OriginConnector,
		message: "Not everything was collected.",
		remedy:  &Remediation{Action: "update_connector", Label: "See which streams are incomplete", Target: "coverage"},
	},
	coverageContradiction: {
		typ: SourceCoverageComplete, status: False, severity: Warning, origin: OriginConnector,
		message: "The manifest requires a stream that it also declares as not collected.",
		remedy:  &Remediation{Action: "update_connector", Label: "The connector's manifest needs a fix", Target: "coverage"},
	},
	coverageComplete: {
		typ: SourceCoverageComplete, status: True, severity: Info, reason: "complete", origin: OriginConnector,
		message: "Everything that the connection collects was collected.",
	},
	coverageAccepted: {
		typ: SourceCoverageComplete, status: True, severity: Info, origin: OriginConnector,
		message: "Everything but what the connector declares as not collected was collected.",
	},
	freshFresh: {
		typ: Fresh, status: True, severity: Info, reason: "fresh", origin: OriginConnector,
		message: "The data is younger than its window.",
	},
	freshStaleManual: {
		typ: Fresh, status: False, severity: Info, reason: "stale_manual_refresh", origin: OriginConnector,
		message: "The data is older than its window; this connector collects when its owner runs it.",
		remedy:  &Remediation{Action: "retry_by_runtime", Label: "Run the connector to refresh the data", Target: "run", Retryable: true},
	},
	freshStale: {
		typ: Fresh, status: False, severity: Warning, reason: "stale", origin: OriginConnector,
		message: "The data is older than its window.",
		remedy:  &Remediation{Action: "retry_by_runtime", Label: "The next run refreshes the data", Target: "run", Retryable: true},
	},
	freshUnknown: {
		typ: Fresh, status: Unknown, severity: Warning, reason: "freshness_unknown", origin: OriginConnector,
		message: "It is not known how recent the data is.",
	},
	backlogIdle: {
		typ: BacklogClear, status: True, severity: Info, reason: "outbox_idle", origin: OriginLocalDevice,
		message: "The device's outbox is empty.",
	},
	backlogActive: {
		typ: BacklogClear, status: False, severity: Info, reason: "outbox_active", origin: OriginLocalDevice,
		message: "Queued work on the device is draining normally.",
		remedy:  &Remediation{Action: "wait", Label: "The device sends the rest by itself", Target: "local_device", Retryable: true},
	},
	backlogStalled: {
		typ: BacklogClear, status: False, severity: Error, reason: "outbox_stalled", origin: OriginLocalDevice,
		message: "The device's outbox has stalled.",
		remedy:  &Remediation{Action: "clear_backlog", Label: "Check the collector on the host that holds the data", Target: "local_device", Retryable: true},
	},
	backlogStateRead: {
		typ: BacklogClear, status: False, severity: Error, reason: "outbox_state_read_failed", origin: OriginLocalDevice,
		message: "The outbox waits behind a state that could not be read. There is nothing to requeue; re-running the collector on the host clears it.",
		remedy:  &Remediation{Action: "clear_backlog", Label: "Re-run the collector on the host that holds the data", Target: "local_device", Retryable: true},
	},
	backlogDeadLetter: {
		typ: BacklogClear, status: False, severity: Error, reason: "outbox_dead_letter_backlog", origin: OriginLocalDevice,
		message: "The outbox holds dead-lettered records that must be retried and then drained by re-running the collector on the host.",
		remedy:  &Remediation{Action: "clear_backlog", Label: "Retry what did not upload, on the host that holds the data", Target: "local_device", Retryable: true},
	},
	backlogStalePending: {
		typ: BacklogClear, status: False, severity: Error, reason: "outbox_stale_pending", origin: OriginLocalDevice,
		message: "The outbox holds pending work that stopped draining. Re-running the collector on the host resumes it.",
		remedy:  &Remediation{Action: "clear_backlog", Label: "Re-run the collector on the host that holds the data", Target: "local_device", Retryable: true},
	},
	backlogUnknown: {
		typ: BacklogClear, status: Unknown, severity: Info, reason: "outbox_unknown", origin: OriginLocalDevice,
		message: "Nothing trusted tells what the device's outbox holds.",
	},
	backlogNotApplicable: {
		typ: BacklogClear, status: Unknown, severity: Info, reason: "outbox_not_applicable", origin: OriginLocalDevice,
		message: "No device outbox belongs to this connection.",
	},
}
