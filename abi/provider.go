package abi

// Provider is what is known of a provider's limits beforehand. Every field that is
// left out takes its default, which host/send has. It is written by a connector's
// author, in runtime_requirements.network.provider.
type Provider struct {
	// DiscoveryMS is the interval that a cold start begins with; default 1000.
	// Zero switches pacing off.
	DiscoveryMS *int64 `json:"discovery_interval_ms,omitempty"`
	// MinIntervalMS is the rate ceiling: no two requests are closer. Default 250.
	MinIntervalMS int64 `json:"min_interval_ms,omitempty"`
	MaxIntervalMS int64 `json:"max_interval_ms,omitempty"` // throttles stop here; default 5 minutes
	// ToleranceMS is GCRA's L, cut to what MinIntervalMS leaves; default a
	// quarter of the interval of the moment.
	ToleranceMS *int64             `json:"tolerance_ms,omitempty"`
	Windows     []ProviderWindow   `json:"windows,omitempty"`   // limits that the provider documents
	Endpoints   []ProviderEndpoint `json:"endpoints,omitempty"` // limits of their own; the first that fits holds
	Refusals    []ProviderRefusal  `json:"refusals,omitempty"`  // answers that refuse without saying so by status or headers

	MaxAttempts   int   `json:"max_attempts,omitempty"`    // sends of one request, the first included; default 4
	BackoffBaseMS int64 `json:"backoff_base_ms,omitempty"` // default 1000
	BackoffCapMS  int64 `json:"backoff_cap_ms,omitempty"`  // default 60 000
	// MaxInlineWaitMS is the longest pause that a run sits out; a longer one ends
	// as a deferral. Default 5 minutes. The end of a window that is known is waited
	// for as long as the run has time.
	MaxInlineWaitMS int64 `json:"max_inline_wait_ms,omitempty"`
	TimeoutMS       int64 `json:"timeout_ms,omitempty"` // of one fetch, its body included; default 60 000, at most 5 minutes

	Breaker          ProviderBreaker `json:"breaker,omitzero"`
	MaxRedirects     *int            `json:"max_redirects,omitempty"`      // default 5
	MaxResponseBytes int64           `json:"max_response_bytes,omitempty"` // default 64 MiB, and no more
}

// ProviderWindow is a documented limit: so many requests in any span of PerMS.
type ProviderWindow struct {
	Requests int64 `json:"requests"`
	PerMS    int64 `json:"per_ms"`
}

// ProviderEndpoint is a part of a provider with limits of its own, kept beside the
// provider's. Its interval adapts by itself.
type ProviderEndpoint struct {
	Name          string           `json:"name"`
	Method        string           `json:"method,omitempty"` // "": any
	PathPrefix    string           `json:"path_prefix"`
	MinIntervalMS int64            `json:"min_interval_ms,omitempty"`
	Windows       []ProviderWindow `json:"windows,omitempty"`
}

// ProviderRefusal is an answer that refuses for now although neither its status nor
// its headers say so: GitHub's secondary limit is a 403 with a message.
type ProviderRefusal struct {
	Status   int    `json:"status"`            // from 200 to 599
	Contains string `json:"contains"`          // in the first 16 KiB of the body, in letters of any case
	WaitMS   int64  `json:"wait_ms,omitempty"` // the documented pause, doubled with each attempt; an answer's own Retry-After wins
}

// ProviderBreaker sets the circuit breaker of a provider.
type ProviderBreaker struct {
	Disabled      bool    `json:"disabled,omitempty"`
	Window        int     `json:"window,omitempty"`         // outcomes that are looked at; default 10, at least MinThroughput
	MinThroughput int     `json:"min_throughput,omitempty"` // outcomes before it may open; default 5
	FailureRatio  float64 `json:"failure_ratio,omitempty"`  // at which it opens; default 0.5
	ResetMS       int64   `json:"reset_ms,omitempty"`       // until a probe; default 60 000
}
