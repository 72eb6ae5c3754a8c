package abi

// Host/send counts a run's requests and host/run keeps the counts. Neither
// imports the other, so the types that both name are here.

// RequestCounts counts what a run did over its network.
type RequestCounts struct {
	Sent      int64 `json:"sent"`      // attempts, including the hops of a redirect and renewals of a token
	Retried   int64 `json:"retried"`   // attempts that repeated a failed one
	Throttled int64 `json:"throttled"` // answers that asked for fewer requests
	Answered  int64 `json:"-"`         // requests that ended neither refused nor failed; a 404 counts
	BytesOut  int64 `json:"bytes_out"` // lines, headers and bodies, before TLS
	BytesIn   int64 `json:"bytes_in"`  // headers and bodies, decompressed
}

// Destination says what a run sent to one host.
type Destination struct {
	Host     string `json:"host"` // host:port
	Requests int64  `json:"requests"`
	BytesOut int64  `json:"bytes_out"`
	BytesIn  int64  `json:"bytes_in"`
}

// CollectionRate is the pace of a run's requests, in the form of a PROGRESS's
// collection_rate (RT-27). It has room for rates and nothing else: no account,
// route or content.
type CollectionRate struct {
	Object              string   `json:"object"`
	CurrentIntervalMS   float64  `json:"current_interval_ms"`
	CeilingIntervalMS   float64  `json:"ceiling_interval_ms"`
	EffectiveRatePerMin int64    `json:"effective_rate_per_min"`
	CeilingRatePerMin   int64    `json:"ceiling_rate_per_min"`
	LastBackoff         *Backoff `json:"last_backoff"` // null: there was none
}

// Backoff is the last throttle that made the interval between requests longer.
type Backoff struct {
	AtIntervalMS float64 `json:"at_interval_ms"` // the interval that it led to
	Reason       string  `json:"reason"`         // retry_after or throttle
}
