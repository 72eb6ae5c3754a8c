package send

import (
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/provider"
)

// The defaults of a profile with only a name (RT-25.1).
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
	// DefaultMaxInlineWait is the default of MaxInlineWaitMS.
	DefaultMaxInlineWait = defaultInlineWaitMS * time.Millisecond
)

// Profile describes a provider. Only Name is needed: every other missing field takes
// its default.
type Profile struct {
	Name string `json:"name"` // the connector's name, [a-z][a-z0-9_]*, as in <name>_rate_limited

	abi.Provider
}

// matches reports whether a request belongs to e.
func matches(e *abi.ProviderEndpoint, method, path string) bool {
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
	breakerDefaults(&p.Breaker)
	return p
}

func orDefault[T int | int64 | float64](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

// paced reports whether pacing is on.
func (p Profile) paced() bool { return *p.DiscoveryMS > 0 }

// Check returns the problems of p as one *abi.Error that lists all of them; nil if New
// accepts it.
func (p Profile) Check() error {
	var problems []string
	bad := func(path, rule string) { problems = append(problems, path+": "+rule) }
	if !provider.IsName(p.Name) {
		bad("name", provider.RuleName)
	}
	provider.Check(&p.Provider, bad)
	if len(problems) == 0 {
		return nil
	}
	return abi.NewError(CodeProfileInvalid, "the provider profile is not valid", "correct it in the connector's manifest").
		WithDetail(strings.Join(problems, "; "))
}

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
