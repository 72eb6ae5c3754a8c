package send

import (
	"fmt"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// What a bare name gets (RT-25.1).
const (
	defaultDiscoveryMS   = 1000
	defaultMinIntervalMS = 250
	defaultMaxIntervalMS = 5 * 60 * 1000
	defaultAttempts      = 4
	defaultBackoffBaseMS = 1000
	defaultBackoffCapMS  = 60 * 1000
	defaultInlineWaitMS  = 5 * 60 * 1000
	defaultTimeoutMS     = 60 * 1000
	defaultRedirects     = 5
	defaultResponseBytes = 64 << 20
	maxAttempts          = 20
	maxWindowRequests    = 100_000
	// DefaultMaxInlineWait is what MaxInlineWaitMS is when it is left out.
	DefaultMaxInlineWait = defaultInlineWaitMS * time.Millisecond
	longestMS            = 31 * 24 * 60 * 60 * 1000 // of any interval or window
	// A manifest is written by a stranger. These are what the host spends on what
	// it says: time after the run's own limit, memory, and work for each request.
	longestTimeoutMS = 5 * 60 * 1000
	maxResponseBytes = defaultResponseBytes
	maxWindows       = 8
	maxEndpoints     = 32
)

// Profile is what is known of a provider beforehand. Only Name is needed: every
// other field left out takes its default. It is written by a connector's author
// and read from the manifest.
type Profile struct {
	Name string `json:"name"` // the connector's name, [a-z][a-z0-9_]*: it begins <name>_rate_limited
	// DiscoveryMS is the interval that a cold start begins with; default 1000.
	// Zero switches pacing off.
	DiscoveryMS *int64 `json:"discovery_interval_ms,omitempty"`
	// MinIntervalMS is the rate ceiling: no two requests are closer. Default 250.
	MinIntervalMS int64 `json:"min_interval_ms,omitempty"`
	MaxIntervalMS int64 `json:"max_interval_ms,omitempty"` // throttles stop here; default 5 minutes
	// ToleranceMS is GCRA's L, cut to what MinIntervalMS leaves; default a
	// quarter of the interval of the moment.
	ToleranceMS *int64     `json:"tolerance_ms,omitempty"`
	Windows     []Window   `json:"windows,omitempty"`   // limits that the provider documents
	Endpoints   []Endpoint `json:"endpoints,omitempty"` // limits of their own; the first that fits holds
	Refusals    []Refusal  `json:"refusals,omitempty"`  // answers that refuse without saying so by status or headers

	MaxAttempts   int   `json:"max_attempts,omitempty"`    // sends of one request, the first included; default 4
	BackoffBaseMS int64 `json:"backoff_base_ms,omitempty"` // default 1000
	BackoffCapMS  int64 `json:"backoff_cap_ms,omitempty"`  // default 60 000
	// MaxInlineWaitMS is the longest pause that a run sits out; a longer one ends
	// as a deferral. Default 5 minutes. The end of a window that is known is waited
	// for as long as the run has time.
	MaxInlineWaitMS int64 `json:"max_inline_wait_ms,omitempty"`
	TimeoutMS       int64 `json:"timeout_ms,omitempty"` // of one fetch, its body included; default 60 000, at most 5 minutes

	Breaker          BreakerProfile `json:"breaker,omitzero"`
	MaxRedirects     *int           `json:"max_redirects,omitempty"`      // default 5
	MaxResponseBytes int64          `json:"max_response_bytes,omitempty"` // default 64 MiB, and no more
}

// Window is a documented limit: so many requests in any span of PerMS.
type Window struct {
	Requests int64 `json:"requests"`
	PerMS    int64 `json:"per_ms"`
}

// Endpoint is a part of a provider with limits of its own, kept beside the
// provider's. Its interval adapts by itself.
type Endpoint struct {
	Name          string   `json:"name"`
	Method        string   `json:"method,omitempty"` // "": any
	PathPrefix    string   `json:"path_prefix"`
	MinIntervalMS int64    `json:"min_interval_ms,omitempty"`
	Windows       []Window `json:"windows,omitempty"`
}

// matches reports whether a request is one of e's.
func (e *Endpoint) matches(method, path string) bool {
	return (e.Method == "" || e.Method == method) && strings.HasPrefix(path, e.PathPrefix)
}

// withDefaults returns p with every field set.
func (p Profile) withDefaults() Profile {
	if p.DiscoveryMS == nil {
		p.DiscoveryMS = new(int64(defaultDiscoveryMS))
	}
	if p.MaxRedirects == nil {
		p.MaxRedirects = new(defaultRedirects)
	}
	orDefault(&p.MinIntervalMS, defaultMinIntervalMS)
	orDefault(&p.MaxIntervalMS, defaultMaxIntervalMS)
	orDefault(&p.MaxAttempts, defaultAttempts)
	orDefault(&p.BackoffBaseMS, defaultBackoffBaseMS)
	orDefault(&p.BackoffCapMS, defaultBackoffCapMS)
	orDefault(&p.MaxInlineWaitMS, defaultInlineWaitMS)
	orDefault(&p.TimeoutMS, defaultTimeoutMS)
	orDefault(&p.MaxResponseBytes, defaultResponseBytes)
	p.Breaker = p.Breaker.withDefaults()
	return p
}

func orDefault[T int | int64 | float64](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

// paced reports whether there is an interval at all.
func (p Profile) paced() bool { return *p.DiscoveryMS > 0 }

// Check returns what is wrong with p as one *abi.Error that lists every
// problem; nil when New accepts it.
func (p Profile) Check() error {
	var problems []string
	bad := func(ok bool, path, rule string) {
		if !ok {
			problems = append(problems, path+": "+rule)
		}
	}
	span := func(path string, ms int64) { bad(ms >= 0 && ms <= longestMS, path, "from 0 to 31 days") }
	bad(validName(p.Name), "name", "lower-case letters, digits and _, at most 64, beginning with a letter")
	if p.DiscoveryMS != nil {
		span("discovery_interval_ms", *p.DiscoveryMS)
	}
	if p.ToleranceMS != nil {
		span("tolerance_ms", *p.ToleranceMS)
	}
	span("min_interval_ms", p.MinIntervalMS)
	span("max_interval_ms", p.MaxIntervalMS)
	span("backoff_base_ms", p.BackoffBaseMS)
	span("backoff_cap_ms", p.BackoffCapMS)
	span("max_inline_wait_ms", p.MaxInlineWaitMS)
	bad(p.TimeoutMS >= 0 && p.TimeoutMS <= longestTimeoutMS, "timeout_ms", "from 0 to 5 minutes")
	span("breaker.reset_ms", p.Breaker.ResetMS)
	bad(p.MaxAttempts >= 0 && p.MaxAttempts <= maxAttempts, "max_attempts", fmt.Sprintf("from 1 to %d", maxAttempts))
	bad(p.MaxRedirects == nil || *p.MaxRedirects >= 0 && *p.MaxRedirects <= maxAttempts, "max_redirects", fmt.Sprintf("from 0 to %d", maxAttempts))
	bad(p.MaxResponseBytes >= 0 && p.MaxResponseBytes <= maxResponseBytes, "max_response_bytes", "from 0 to 64 MiB")
	bad(p.Breaker.valid(), "breaker", "window and min_throughput from 1 to 1000, failure_ratio above 0 and at most 1")
	windows := func(path string, list []Window) {
		bad(len(list) <= maxWindows, path+"windows", fmt.Sprintf("at most %d", maxWindows))
		for i, w := range list {
			bad(w.Requests >= 1 && w.Requests <= maxWindowRequests && w.PerMS >= 1 && w.PerMS <= longestMS,
				fmt.Sprintf("%swindows[%d]", path, i), fmt.Sprintf("from 1 to %d requests in up to 31 days", maxWindowRequests))
		}
	}
	windows("", p.Windows)
	bad(len(p.Refusals) <= maxRefusals, "refusals", fmt.Sprintf("at most %d", maxRefusals))
	for i := range p.Refusals {
		bad(p.Refusals[i].valid(), fmt.Sprintf("refusals[%d]", i),
			fmt.Sprintf("a status from 200 to 599, a text of 1 to %d bytes, and a wait of at most an hour", maxRefusalText))
	}
	bad(len(p.Endpoints) <= maxEndpoints, "endpoints", fmt.Sprintf("at most %d", maxEndpoints))
	for i, e := range p.Endpoints {
		path := fmt.Sprintf("endpoints[%d].", i)
		bad(validName(e.Name), path+"name", "as the provider's")
		bad(strings.HasPrefix(e.PathPrefix, "/"), path+"path_prefix", "begins with /")
		span(path+"min_interval_ms", e.MinIntervalMS)
		windows(path, e.Windows)
	}
	if len(problems) == 0 {
		return nil
	}
	return abi.NewError(CodeProfileInvalid, "the provider profile is not valid", "correct it in the connector's manifest").
		WithDetail(strings.Join(problems, "; "))
}

func validName(name string) bool {
	if name == "" || len(name) > 64 || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
