package abi

// Provider describes a provider's limits. A connector's author writes it in
// runtime_requirements.network.provider. A missing field takes its default from
// host/send.
type Provider struct {
	// DiscoveryMS is the interval of a cold start; default 1000. Zero switches pacing
	// off.
	DiscoveryMS *int64 `json:"discovery_interval_ms,omitempty"`
	// MinIntervalMS is the rate ceiling, the least time between two requests. Default
	// 250.
	MinIntervalMS int64 `json:"min_interval_ms,omitempty"`
	MaxIntervalMS int64 `json:"max_interval_ms,omitempty"` // the longest interval that throttling leads to; default 5 minutes
	// ToleranceMS is GCRA's L, limited to what MinIntervalMS leaves; default a quarter
	// of the current interval.
	ToleranceMS *int64 `json:"tolerance_ms,omitempty"`
	// Burst is how many requests may go at once after a rest, at the pace of MinIntervalMS alone. It must fit
	// into each window with that pace.
	Burst     int64              `json:"burst,omitempty"`
	Windows   []ProviderWindow   `json:"windows,omitempty"`   // limits that the provider documents
	Endpoints []ProviderEndpoint `json:"endpoints,omitempty"` // separate limits; the first matching endpoint applies
	Refusals  []ProviderRefusal  `json:"refusals,omitempty"`  // answers that refuse without a telling status or header

	MaxAttempts   int   `json:"max_attempts,omitempty"`    // attempts of one request, the first included; default 4
	BackoffBaseMS int64 `json:"backoff_base_ms,omitempty"` // default 1000
	BackoffCapMS  int64 `json:"backoff_cap_ms,omitempty"`  // default 60 000
	// MaxInlineWaitMS is the longest pause that a run waits out; a longer one ends as
	// a deferral. Default 5 minutes. A run also waits for the known end of a window if
	// it has the time.
	MaxInlineWaitMS int64 `json:"max_inline_wait_ms,omitempty"`
	TimeoutMS       int64 `json:"timeout_ms,omitempty"` // for one fetch, its body included; default 60 000, at most 5 minutes

	Breaker          ProviderBreaker `json:"breaker,omitzero"`
	MaxRedirects     *int            `json:"max_redirects,omitempty"`      // default 5
	MaxResponseBytes int64           `json:"max_response_bytes,omitempty"` // default 64 MiB, and no more
}

// ProviderWindow is a documented limit: so many requests in any period of PerMS.
type ProviderWindow struct {
	Requests int64 `json:"requests"`
	PerMS    int64 `json:"per_ms"`
}

// ProviderEndpoint is a part of a provider that has its own limits besides the
// provider's. Its interval adapts separately.
type ProviderEndpoint struct {
	Name          string           `json:"name"`
	Method        string           `json:"method,omitempty"` // "": any
	PathPrefix    string           `json:"path_prefix"`
	MinIntervalMS int64            `json:"min_interval_ms,omitempty"`
	Windows       []ProviderWindow `json:"windows,omitempty"`
}

// ProviderRefusal is an answer that refuses temporarily although neither its status
// nor its headers say so: GitHub's secondary limit is a 403 with a message.
type ProviderRefusal struct {
	Status   int    `json:"status"`            // from 200 to 599
	Contains string `json:"contains"`          // looked for in the first 16 KiB of the body, ignoring case
	WaitMS   int64  `json:"wait_ms,omitempty"` // the documented pause, doubled with each attempt; an answer's own Retry-After wins
}

// ProviderBreaker sets the circuit breaker of a provider.
type ProviderBreaker struct {
	Disabled      bool    `json:"disabled,omitempty"`
	Window        int     `json:"window,omitempty"`         // outcomes considered; default 10, at least MinThroughput
	MinThroughput int     `json:"min_throughput,omitempty"` // outcomes needed before it may open; default 5
	FailureRatio  float64 `json:"failure_ratio,omitempty"`  // ratio at which it opens; default 0.5
	ResetMS       int64   `json:"reset_ms,omitempty"`       // time until a probe; default 60 000
}
