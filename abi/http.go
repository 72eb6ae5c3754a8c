package abi

// The http operation carries a head, one JSON object on one line, then a line feed,
// then the unquoted body, so a body costs no quoting in either direction. A request's
// head is an HTTPRequest. An answer's head is an HTTPResponse, or an HTTPError without
// a body.

// HTTPRequest is the head of a request. The host sets the headers of the connection,
// the body's framing, credentials and cookies.
type HTTPRequest struct {
	Method  string            `json:"method,omitempty"` // default GET
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers,omitempty"`
	// Credential names a slot of runtime_requirements.network.credentials. The host
	// adds the secret as the slot describes.
	Credential string `json:"credential,omitempty"`
}

// HTTPResponse is the head of an answer with any status. Names in Headers are lower
// case; several values are joined with ", ". Set-Cookie is left out, since cookies
// belong to the host.
type HTTPResponse struct {
	Status  int               `json:"status"`
	URL     string            `json:"url"` // after redirects
	Headers map[string]string `json:"headers"`
}

// HTTPError is the answer to a request that produced no usable response.
type HTTPError struct {
	Error HTTPFailure `json:"error"`
}

// HTTPFailure says why a request failed and which reason a gap for it has.
type HTTPFailure struct {
	Code    Code   `json:"code"`
	Message string `json:"message"` // <name>_rate_limited for a provider that kept refusing (RT-23.1)
	Hint    string `json:"hint,omitempty"`
	// GapReason is the DETAIL_GAP reason for the missing item; "" if another attempt
	// would not help.
	GapReason Reason `json:"gap_reason,omitempty"`
	// Stop is the exact reason: a budget's (RT-24), the run cap's, or the gap's.
	Stop Reason `json:"stop,omitempty"`
	// Final reports that every further request of this run will fail too, so a
	// connector should stop sending.
	Final            bool   `json:"final,omitempty"`
	Status           int    `json:"status,omitempty"` // of the last answer
	Attempts         int    `json:"attempts,omitempty"`
	NextAttemptAfter string `json:"next_attempt_after,omitempty"` // RFC 3339
	// Answer is the beginning of the last answer's body, at most MaxFailureAnswer bytes, so that
	// the provider's own sentence is not lost; AnswerType is its Content-Type.
	Answer     string `json:"answer,omitempty"`
	AnswerType string `json:"answer_type,omitempty"`
}

// MaxFailureAnswer bounds what a failed request says of the last answer's body, in bytes.
const MaxFailureAnswer = 4 << 10

// Places where a credential slot puts its secret.
const (
	SlotHeader = "header"
	SlotQuery  = "query"
	SlotBody   = "body" // a top-level member of a JSON body, or a field of a form
)

// Ways in which a credential slot writes its secret.
const (
	SlotRaw    = "raw"
	SlotBearer = "bearer" // RFC 6750
	SlotBasic  = "basic"  // RFC 7617
)

// CredentialSlot describes how the host adds a secret to a request that names the
// slot, and for which hosts. A guest never sees the secret (Invariant 5).
type CredentialSlot struct {
	Name  string   `json:"name"`
	Hosts []string `json:"hosts"` // each one of runtime_requirements.network.hosts
	In    string   `json:"in"`
	Key   string   `json:"key"` // the header's, parameter's or member's name
	As    string   `json:"as"`  // default raw
	// Format, of raw in a header, has the secret in place of its {}; "": it is the secret alone.
	Format string  `json:"format,omitempty"`
	Field  string  `json:"field"`            // the credential field that holds the secret
	User   string  `json:"user_field"`       // basic: the field of the user name; Field is the password
	OAuth  *OAuth2 `json:"oauth2,omitempty"` // Field is an access token that the host renews
}

// OAuth2 says how the host renews an access token (RFC 6749, section 6).
type OAuth2 struct {
	TokenURL          string `json:"token_url"` // https, on one of runtime_requirements.network.hosts
	RefreshField      string `json:"refresh_field"`
	ClientIDField     string `json:"client_id_field"`
	ClientSecretField string `json:"client_secret_field,omitempty"` // absent: a public client
}

// DetailLimits is the owner's own bound on a run's detail lanes (RT-16). Zero means no
// bound.
type DetailLimits struct {
	MaxFetches    int64 `json:"max_fetches,omitempty"`
	MaxWallMS     int64 `json:"max_wall_clock_ms,omitempty"` // from the first detail on
	MaxTailGaps   int64 `json:"max_tail_gaps,omitempty"`     // gap rows of one deferral, before the rest is one backlog gap (RT-19)
	NoTailFolding bool  `json:"no_tail_folding,omitempty"`   // the owner's value was not a number: per-record gaps only
}
