package provider

import (
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// The bounds of what a manifest, written by a stranger, may make the host spend: time
// after the run's own limit, memory, and work for each request.
const (
	longestTimeoutMS   = 5 * 60 * 1000
	longestRefusalMS   = 60 * 60 * 1000
	mostResponseBytes  = 64 << 20
	mostAttempts       = 20
	mostOutcomes       = 1000
	mostBurst          = 1000
	mostEndpoints      = 32
	mostRefusals       = 16
	longestRefusalText = 200

	LongestMS    = 31 * 24 * 60 * 60 * 1000 // the longest interval or window
	MostWindows  = 8                        // the most windows of a provider or an endpoint
	MostRequests = 100_000                  // the most requests of one window
)

// Check calls bad with the path and the rule of each field that is out of bounds.
func Check(p *abi.Provider, bad func(path, rule string)) {
	check := checker(bad)
	span := func(path string, ms int64) { check.between(path, ms, 0, LongestMS) }
	if p.DiscoveryMS != nil {
		span("discovery_interval_ms", *p.DiscoveryMS)
	}
	span("min_interval_ms", p.MinIntervalMS)
	span("max_interval_ms", p.MaxIntervalMS)
	if p.ToleranceMS != nil {
		span("tolerance_ms", *p.ToleranceMS)
	}
	check.windows("", p.Windows)
	check.burst(p)
	check.count("endpoints", len(p.Endpoints), mostEndpoints)
	for i := range p.Endpoints {
		e, at := &p.Endpoints[i], indexed("endpoints", i)
		if !IsName(e.Name) {
			bad(at+".name", RuleName)
		}
		if !strings.HasPrefix(e.PathPrefix, "/") {
			bad(at+".path_prefix", "must begin with /")
		}
		span(at+".min_interval_ms", e.MinIntervalMS)
		check.windows(at+".", e.Windows)
	}
	check.count("refusals", len(p.Refusals), mostRefusals)
	for i, r := range p.Refusals {
		at := indexed("refusals", i)
		check.between(at+".status", int64(r.Status), 200, 599)
		if strings.TrimSpace(r.Contains) == "" || len(r.Contains) > longestRefusalText {
			bad(at+".contains", "must be a text of 1 to "+strconv.Itoa(longestRefusalText)+" bytes")
		}
		check.between(at+".wait_ms", r.WaitMS, 0, longestRefusalMS)
	}
	check.between("max_attempts", int64(p.MaxAttempts), 0, mostAttempts)
	span("backoff_base_ms", p.BackoffBaseMS)
	span("backoff_cap_ms", p.BackoffCapMS)
	span("max_inline_wait_ms", p.MaxInlineWaitMS)
	check.between("timeout_ms", p.TimeoutMS, 0, longestTimeoutMS)
	check.between("breaker.window", int64(p.Breaker.Window), 0, mostOutcomes)
	check.between("breaker.min_throughput", int64(p.Breaker.MinThroughput), 0, mostOutcomes)
	if r := p.Breaker.FailureRatio; !(r >= 0 && r <= 1) { // also excludes NaN
		bad("breaker.failure_ratio", "must be a number from 0 to 1")
	}
	span("breaker.reset_ms", p.Breaker.ResetMS)
	if p.MaxRedirects != nil {
		check.between("max_redirects", int64(*p.MaxRedirects), 0, mostAttempts)
	}
	check.between("max_response_bytes", p.MaxResponseBytes, 0, mostResponseBytes)
}

type checker func(path, rule string)

func (c checker) between(path string, v, least, most int64) {
	if v < least || v > most {
		c(path, "must be a whole number from "+strconv.FormatInt(least, 10)+" to "+strconv.FormatInt(most, 10))
	}
}

func (c checker) count(path string, n, most int) {
	if n > most {
		c(path, "must have at most "+strconv.Itoa(most)+" items")
	}
}

func (c checker) windows(path string, list []abi.ProviderWindow) {
	c.count(path+"windows", len(list), MostWindows)
	for i, w := range list {
		at := indexed(path+"windows", i)
		c.between(at+".requests", w.Requests, 1, MostRequests)
		c.between(at+".per_ms", w.PerMS, 1, LongestMS)
	}
}

// burst checks that a burst, and what the pace lets go behind it, is no more than each window
// takes, in any span of it.
func (c checker) burst(p *abi.Provider) {
	c.between("burst", p.Burst, 0, mostBurst)
	if p.Burst == 0 || p.MinIntervalMS < 0 {
		return // that is said of min_interval_ms
	}
	fits := len(p.Windows) > 0 && p.MinIntervalMS > 0
	for _, w := range p.Windows { // one that is out of its own bounds is told of as such
		fits = fits && (w.Requests < 1 || w.PerMS < 1 || p.Burst+w.PerMS/p.MinIntervalMS <= w.Requests)
	}
	if !fits {
		c("burst", "must fit into each of the windows, of which there must be one, with what min_interval_ms lets go behind it")
	}
}

func indexed(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// RuleName describes the names that IsName accepts.
const RuleName = "must be lower-case letters, digits and underscores, starting with a letter, at most 64"

// IsName reports whether name is valid for a provider or an endpoint.
func IsName(name string) bool {
	if name == "" || len(name) > 64 || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}
