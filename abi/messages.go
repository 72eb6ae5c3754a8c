package abi

// Message types, the value of "type" on the wire (Collection Profile v0.1).
const (
	TypeStart           = "START"
	TypeRecord          = "RECORD"
	TypeState           = "STATE"
	TypeSkipResult      = "SKIP_RESULT"
	TypeAccount         = "ACCOUNT"
	TypeProgress        = "PROGRESS"
	TypeDetailGap       = "DETAIL_GAP"
	TypeGapAttempted    = "DETAIL_GAP_ATTEMPTED"
	TypeGapRecovered    = "DETAIL_GAP_RECOVERED"
	TypeDetailCoverage  = "DETAIL_COVERAGE"
	TypeEnumeration     = "ENUMERATION"
	TypeInteraction     = "INTERACTION"
	TypeInteractionResp = "INTERACTION_RESPONSE"
	TypeDone            = "DONE"
)

// Collection modes of START. ModeBackfill walks history under its own
// bookmarks and never moves the incremental ones (PB-D10).
const (
	ModeIncremental = "incremental"
	ModeFullRefresh = "full_refresh"
	ModeBackfill    = "backfill"
)

// Start is the answer to OpStart: the description of this run.
type Start struct {
	Type           string         `json:"type"`
	RunID          string         `json:"run_id"`
	CollectionMode string         `json:"collection_mode"`
	Scope          Scope          `json:"scope"`
	State          map[string]Raw `json:"state"` // stream -> committed cursor; null without any
	// PreviousState holds the committed cursors during a full refresh, which has no
	// State. A connector uses it to find deleted records, not to resume (RT-07.1).
	PreviousState map[string]Raw    `json:"previous_state,omitempty"`
	Bindings      Bindings          `json:"bindings"`
	Options       map[string]string `json:"options,omitempty"` // connector options, as the operator set them
	// Credentials says which of the manifest's credential fields the host holds, by
	// field name. The guest never learns a value (RT-08).
	Credentials  map[string]bool `json:"credentials,omitempty"`
	DetailGaps   []Raw           `json:"detail_gaps,omitempty"`
	DetailLimits *DetailLimits   `json:"detail_limits,omitempty"`
	RecoveryOnly bool            `json:"recovery_only,omitempty"`
}

// Scope is the set of streams that the run may collect: never empty, no wildcard.
type Scope struct {
	Streams []StreamScope `json:"streams"`
}

// StreamScope is one stream's share of the scope.
type StreamScope struct {
	Name string `json:"name"`
	// Resources, if not empty, is the set of record keys that may be emitted (RT-05).
	// A composite key is written as its JSON array.
	Resources []string   `json:"resources,omitempty"`
	TimeRange *TimeRange `json:"time_range,omitempty"`
	// Fields, when not empty, is the set of top-level fields that may be
	// emitted; the host has already added the required ones.
	Fields []string `json:"fields,omitempty"`
}

// TimeRange bounds the stream's consent_time_field: Since <= value < Until,
// both RFC 3339.
type TimeRange struct {
	Since string `json:"since,omitempty"`
	Until string `json:"until,omitempty"`
}

// Bindings lists the bindings that the guest was granted.
type Bindings struct {
	Filesystem  *FilesystemBinding `json:"filesystem,omitempty"`
	Network     *struct{}          `json:"network,omitempty"`
	Interactive *struct{}          `json:"interactive,omitempty"`
	Browser     *struct{}          `json:"browser,omitempty"`
}

// FilesystemBinding lists the granted roots.
type FilesystemBinding struct {
	Roots []Root `json:"roots"`
}

// Root is one read-only folder, mounted at Path ("/" + Name). The guest never learns
// its path on the host.
type Root struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

// State is a STATE message. Cursor is an object or null.
type State struct {
	Type     string          `json:"type"`
	Stream   string          `json:"stream"`
	Cursor   Raw             `json:"cursor"`
	Slice    *Slice          `json:"slice,omitempty"`
	Coverage []SliceCoverage `json:"coverage,omitempty"`
}

// SliceCoverage accounts for the details of one lane that a slice closes and no
// earlier slice closed. The lane's one DETAIL_COVERAGE at its end names them all
// (RT-12).
type SliceCoverage struct {
	Stream           string `json:"stream"`
	RequiredKeys     []Raw  `json:"required_keys"`
	HydratedKeys     []Raw  `json:"hydrated_keys"`
	GapKeys          []Raw  `json:"gap_keys,omitempty"`
	OptionalSkipKeys []Raw  `json:"optional_skip_keys,omitempty"`
}

// Slice names the smallest replayable unit that a STATE closes (PB-D8). With
// Complete the cursor commits as soon as the slice's records are durable.
type Slice struct {
	ID       string `json:"id"`
	Complete bool   `json:"complete"`
}

// Progress is a PROGRESS message. Count and Total are not negative.
type Progress struct {
	Type           string `json:"type"`
	Stream         string `json:"stream,omitempty"`
	Message        string `json:"message"`
	Count          *int64 `json:"count,omitempty"`
	Total          *int64 `json:"total,omitempty"`
	Unit           string `json:"unit,omitempty"` // "bytes", "records", "files"; default records
	CollectionRate Raw    `json:"collection_rate,omitempty"`
	ProviderBudget Raw    `json:"provider_budget,omitempty"`
}

// SkipResult is a SKIP_RESULT message: something that was not collected. The host
// stores it as a known gap.
type SkipResult struct {
	Type         string     `json:"type"`
	Stream       string     `json:"stream,omitempty"`
	Reason       string     `json:"reason,omitempty"`
	Message      string     `json:"message,omitempty"`
	RecoveryHint Raw        `json:"recovery_hint,omitempty"` // an action, or {"action","retryable"}
	Diagnostics  Raw        `json:"diagnostics,omitempty"`
	ResourceIDs  []string   `json:"resource_ids,omitempty"`
	TimeRange    *TimeRange `json:"time_range,omitempty"`
}

// DetailGap is a DETAIL_GAP message: a record whose detail has not been fetched yet.
type DetailGap struct {
	Type          string    `json:"type"`
	Stream        string    `json:"stream"`
	ParentStream  string    `json:"parent_stream,omitempty"`
	RecordKey     Raw       `json:"record_key"` // string or array of strings
	Reason        string    `json:"reason"`
	Retryable     bool      `json:"retryable"`
	Status        string    `json:"status"`
	DetailLocator Raw       `json:"detail_locator"`
	ListCursor    Raw       `json:"list_cursor,omitempty"`
	LastError     *GapError `json:"last_error,omitempty"`
	GapID         string    `json:"gap_id,omitempty"`
	LeaseID       string    `json:"lease_id,omitempty"`
	ReferenceOnly bool      `json:"reference_only,omitempty"`
}

// BacklogKeyPrefix returns the prefix of the record_key of a stream's backlog gaps.
// Such a gap represents many records and is not the key of any.
func BacklogKeyPrefix(stream string) string { return "backlog:" + stream + ":" }

// GapError is the failure behind a gap.
type GapError struct {
	Class           string `json:"class,omitempty"`
	HTTPStatus      *int   `json:"http_status,omitempty"`
	NetworkPressure Raw    `json:"network_pressure,omitempty"`
	// Said is the provider's own sentence about this item: one line of at most MaxSaid
	// characters without a secret. It is never the connector's.
	Said string `json:"said,omitempty"`
}

// MaxSaid bounds a provider's own sentence, in characters.
const MaxSaid = 200

// GapOutcome is a DETAIL_GAP_ATTEMPTED or DETAIL_GAP_RECOVERED message.
type GapOutcome struct {
	Type    string `json:"type"`
	GapID   string `json:"gap_id"`
	LeaseID string `json:"lease_id,omitempty"`
	Stream  string `json:"stream"`
}

// DetailCoverage is a DETAIL_COVERAGE message (RT-12). The key lists hold
// record keys: strings, or arrays of strings.
type DetailCoverage struct {
	Type             string `json:"type"`
	Stream           string `json:"stream"`
	StateStream      string `json:"state_stream"`
	RequiredKeys     []Raw  `json:"required_keys"`
	HydratedKeys     []Raw  `json:"hydrated_keys"`
	GapKeys          []Raw  `json:"gap_keys,omitempty"`
	OptionalSkipKeys []Raw  `json:"optional_skip_keys,omitempty"`
	ReferenceOnly    bool   `json:"reference_only,omitempty"`
	Considered       *int64 `json:"considered,omitempty"`
	Covered          *int64 `json:"covered,omitempty"`
}

// Statuses of an ENUMERATION.
const (
	EnumerationOpen  = "open"  // the stream's records that follow are met in it
	EnumerationMet   = "met"   // Keys are there and not emitted again
	EnumerationWhole = "whole" // everything that there is was met
)

// Enumeration is an ENUMERATION message: a list of all that a stream has, or one part of
// it. The host makes tombstones of the records that it has not met when it is whole.
type Enumeration struct {
	Type   string `json:"type"`
	Stream string `json:"stream"`
	Part   string `json:"part,omitempty"` // "": the whole stream
	Status string `json:"status"`
	// BegunBy, of open, is the id of the run that began the enumeration that this one goes
	// on with; "": it begins.
	BegunBy string `json:"begun_by,omitempty"`
	Keys    []Raw  `json:"keys,omitempty"` // of met
}

// Missing is the request of OpMissing; After is the last key of the page before. The
// answer is {"keys"}.
type Missing struct {
	Stream string `json:"stream"`
	Part   string `json:"part,omitempty"`
	After  string `json:"after,omitempty"`
}

// Interaction kinds (runtime contract, section 6; missing_credentials is RT-08).
const (
	InteractionCredentials        = "credentials"
	InteractionOTP                = "otp"
	InteractionManualAction       = "manual_action"
	InteractionMissingCredentials = "missing_credentials"
)

// Interaction is an INTERACTION message, the request of OpInteract.
type Interaction struct {
	Type           string   `json:"type"`
	RequestID      string   `json:"request_id"`
	Kind           string   `json:"kind"`
	Message        string   `json:"message"`
	Schema         Raw      `json:"schema,omitempty"`
	TimeoutSeconds *float64 `json:"timeout_seconds,omitempty"`
	Stream         string   `json:"stream,omitempty"`
	Browser        *Handoff `json:"browser,omitempty"` // of a manual_action: the page to do it on
}

// Handoff hands a page of the run's browser over to the owner.
type Handoff struct {
	Page     int64        `json:"page,omitempty"` // 0: 1
	Reason   string       `json:"reason"`
	DoneWhen *HandoffDone `json:"done_when,omitempty"` // nil: the owner says when
}

// HandoffDone is what holds when the owner is done: one of its members.
type HandoffDone struct {
	Selector  string   `json:"selector,omitempty"`   // an element is seen
	URLPrefix string   `json:"url_prefix,omitempty"` // the page's address begins so
	Session   []string `json:"session,omitempty"`    // these cookies are there
}

// The reasons of a Handoff.
const (
	HandoffLogin     = "login"
	HandoffTwoFactor = "two_factor"
	HandoffCaptcha   = "captcha"
	HandoffConsent   = "consent"
	HandoffOther     = "other"
)

// Interaction response statuses.
const (
	ResponseSuccess   = "success"
	ResponseCancelled = "cancelled"
	ResponseTimeout   = "timeout"
)

// InteractionResponse answers an Interaction. Data is never logged or stored.
type InteractionResponse struct {
	Type      string            `json:"type"`
	RequestID string            `json:"request_id"`
	Status    string            `json:"status"`
	Data      map[string]string `json:"data,omitempty"`
}

// DONE statuses.
const (
	DoneSucceeded = "succeeded"
	DoneFailed    = "failed"
	DoneCancelled = "cancelled"
)

// Done is the DONE message. RecordsEmitted counts every RECORD of the run, the
// rejected ones and tombstones included. Error is forbidden on success.
type Done struct {
	Type           string     `json:"type"`
	Status         string     `json:"status"`
	RecordsEmitted int64      `json:"records_emitted"`
	Error          *DoneError `json:"error,omitempty"`
}

// DoneError says why the connector failed.
type DoneError struct {
	Code         string `json:"code,omitempty"`
	Message      string `json:"message"`
	Retryable    bool   `json:"retryable"`
	RecoveryHint Raw    `json:"recovery_hint,omitempty"`
}
