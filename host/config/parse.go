package config

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

type durationPtr = *time.Duration

// invalid describes a problem of v, with its key and origin. It does not repeat the
// value, which may be a secret set under the wrong key (Invariant 5).
func (v value) invalid(problem, hint string) error {
	return abi.NewError(abi.CodeConfigInvalid, fmt.Sprintf("the value of %s %s", v.key, problem), hint).
		WithDetail("from " + v.origin.String())
}

// text returns v as text; YAML turns bare digits into numbers.
func (v value) text() (string, error) {
	switch t := v.raw.(type) {
	case string:
		return strings.TrimSpace(t), nil
	case int:
		return strconv.Itoa(t), nil
	case int64:
		return strconv.FormatInt(t, 10), nil
	case uint64:
		return strconv.FormatUint(t, 10), nil
	default:
		return "", v.invalid("must be one plain value", "write it as text, in quotes")
	}
}

func parsePath(field func(*Config) *string) func(*Config, value) error {
	return func(c *Config, v value) error {
		s, ok := v.raw.(string)
		if !ok || s == "" {
			return v.invalid("must be a path", "write it as text")
		}
		abs, err := v.absolute(s)
		if err == nil {
			*field(c) = abs
		}
		return err
	}
}

func parseDSN(c *Config, v value) error {
	s, ok := v.raw.(string)
	if !ok || s == "" {
		return v.invalid("must be a file or a postgres:// address", "write it as text")
	}
	server, problem := ServerAddress(s)
	switch {
	case problem != "":
		return v.invalid(problem, "use a file's path, or postgres://user@host:5432/database")
	case server != "":
		c.dsn = server
		return nil
	}
	abs, err := v.absolute(s)
	if err == nil {
		c.dsn = abs
	}
	return err
}

// settings is the other form of an address that PostgreSQL's own programs take.
var settings = regexp.MustCompile(`(^|\s)(host|hostaddr|port|user|password|dbname|service)\s*=`)

// oneSlash finds an address whose second slash is missing.
var oneSlash = regexp.MustCompile(`(?i)^postgres(ql)?:`)

// ServerAddress returns the address of a store on PostgreSQL, with its scheme in lower case;
// "" for the path of a file. problem says what is wrong with a text that is neither, and
// quotes nothing of it: there may be a password in it (Invariant 5).
func ServerAddress(s string) (address, problem string) {
	scheme, rest, has := strings.Cut(s, "://")
	switch scheme = strings.ToLower(scheme); {
	case has && (scheme == "postgres" || scheme == "postgresql"):
		return scheme + "://" + rest, ""
	case has:
		return "", "has an unknown scheme"
	case oneSlash.MatchString(s):
		return "", "needs two slashes behind its scheme"
	case settings.MatchString(s):
		return "", "is a list of settings and no address"
	}
	return "", ""
}

func parseSize(field func(*Config) *int64, least, most int64) func(*Config, value) error {
	return func(c *Config, v value) error {
		s, err := v.text()
		if err != nil {
			return err
		}
		n, problem := ParseSize(s)
		if problem != "" {
			return v.invalid("is not a size: "+problem, `write a number of bytes with a unit, as in "256MiB"`)
		}
		if n < least || n > most {
			return v.invalid(fmt.Sprintf("must be between %s and %s", FormatSize(least), FormatSize(most)),
				`write a number of bytes with a unit, as in "256MiB"`)
		}
		*field(c) = n
		return nil
	}
}

// parseCount reads a whole number above zero.
func parseCount(field func(*Config) *int64, without string) func(*Config, value) error {
	return func(c *Config, v value) error {
		s, err := v.text()
		if err != nil {
			return err
		}
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n <= 0 {
			return v.invalid("is not a whole number above zero", "write it in digits, as in 5; leave it out for "+without)
		}
		*field(c) = n
		return nil
	}
}

func parseDuration(field func(*Config) durationPtr) func(*Config, value) error {
	const hint = `write a number with a unit, as in "90s", "30m" or "4h"`
	return func(c *Config, v value) error {
		s, err := v.text()
		if err != nil {
			return err
		}
		if _, err := strconv.ParseFloat(s, 64); err == nil {
			return v.invalid("has no unit", hint)
		}
		d, err := time.ParseDuration(s)
		if err != nil {
			return v.invalid("is not a duration", hint)
		}
		if d <= 0 || d > 30*24*time.Hour {
			return v.invalid("must be above zero and at most 720h", hint)
		}
		*field(c) = d
		return nil
	}
}

const day = 24 * time.Hour

// parseHistory reads a number of days, as in "90d".
func parseHistory(c *Config, v value) error {
	const hint = `write a number of days, as in "90d", from 1d to 36500d`
	s, err := v.text()
	if err != nil {
		return err
	}
	number, ok := strings.CutSuffix(s, "d")
	days, err := strconv.ParseUint(number, 10, 16)
	if !ok || err != nil || days < 1 || days > 36500 {
		return v.invalid("is not a number of days", hint)
	}
	c.history = time.Duration(days) * day
	return nil
}

func parseIsolation(c *Config, v value) error {
	s, err := v.text()
	if err != nil {
		return err
	}
	if s != IsolationProcess && s != IsolationInline {
		return v.invalid("is unknown", `use "process" (a worker process, killed on overrun) or "inline" (for embedding and tests)`)
	}
	c.isolation = s
	return nil
}

func parseMarker(c *Config, v value) error {
	s, err := v.text()
	if err != nil {
		return err
	}
	if s != MarkerShown && s != MarkerHidden {
		return v.invalid("is unknown", `use "shown" (pages see that a program drives their browser) or "hidden"`)
	}
	c.unmarked = s == MarkerHidden
	return nil
}

func parseCredentials(c *Config, v value) error {
	s, err := v.text()
	if err != nil {
		return err
	}
	if s != CredentialsAuto && s != CredentialsFile && s != CredentialsKeyring {
		return v.invalid("is unknown", `use "auto", "file" (credentials.key in the data folder) or "keyring" (the system's)`)
	}
	c.credentials = s
	return nil
}

// parseListen reads host:port, or ListenNowhere. The host may be missing, and port 0 means
// any free port. host/api decides whether it may listen there.
func parseListen(c *Config, v value) error {
	s, err := v.text()
	if err != nil {
		return err
	}
	if s == ListenNowhere {
		c.listen = ""
		return nil
	}
	_, port, err := net.SplitHostPort(s)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return v.invalid("is not host:port", `name an address and a port, as in "127.0.0.1:8377", or none`)
	}
	c.listen = s
	return nil
}

// parseOrigin reads https://name or http://name, with a port where it is another than the
// usual one, and nothing behind it.
func parseOrigin(c *Config, v value) error {
	s, err := v.text()
	if err != nil {
		return err
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || strings.TrimSuffix(s, "/") != u.Scheme+"://"+u.Host {
		return v.invalid("is not an origin", `name what a browser's address begins with, as in "https://pdpp.example.org"`)
	}
	c.origin = u.Scheme + "://" + strings.ToLower(u.Host)
	return nil
}

// The words of serve.registration.
const (
	on  = "on"
	off = "off"
)

func parseRegistration(c *Config, v value) error {
	s, err := v.text()
	if err != nil || s != on && s != off {
		return v.invalid("is neither on nor off", "off: no new app becomes known")
	}
	c.unregistered = s == off
	return nil
}

func parseBool(field func(*Config) *bool) func(*Config, value) error {
	return func(c *Config, v value) error {
		switch b, is := v.raw.(bool); {
		case is:
			*field(c) = b
		case v.raw == "true" || v.raw == "false":
			*field(c) = v.raw == "true"
		default:
			return v.invalid("is not true or false", "leave it out for false")
		}
		return nil
	}
}

// parseAllowPrivate reads a YAML list, or a comma-separated text from a variable.
func parseAllowPrivate(c *Config, v value) error {
	var items []string
	switch t := v.raw.(type) {
	case string:
		items = strings.Split(t, ",")
	case []any:
		for _, e := range t {
			s, ok := e.(string)
			if !ok {
				return v.invalid("must be a list of host:port", `write each entry in quotes, as in "127.0.0.1:8080"`)
			}
			items = append(items, s)
		}
	default:
		return v.invalid("must be a list of host:port", `write ["127.0.0.1:8080"]`)
	}
	c.allowPrivate = nil
	for _, item := range items {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		host, port, err := net.SplitHostPort(item)
		n, portErr := strconv.ParseUint(port, 10, 16)
		if err != nil || portErr != nil || host == "" || n == 0 {
			return v.invalid("holds an entry that is not host:port", `name one host and one port each, as in "127.0.0.1:8080"; no ranges`)
		}
		c.allowPrivate = append(c.allowPrivate, item)
	}
	return nil
}

// sizeUnits maps a lower-case unit to bytes, with distinct decimal and binary units
// (IEC 80000-13).
var sizeUnits = map[string]int64{
	"": 1, "b": 1,
	"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
	"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
}

// ParseSize reads a number of bytes with an optional unit: "256MiB", "1.5 GB", "4096".
// problem is "" on success.
func ParseSize(s string) (n int64, problem string) {
	s = strings.TrimSpace(s)
	i := 0
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.') {
		i++
	}
	number, unit := s[:i], strings.ToLower(strings.TrimSpace(s[i:]))
	if number == "" {
		return 0, "it does not start with a number"
	}
	factor, ok := sizeUnits[unit]
	if !ok {
		return 0, "the unit is none of B, KiB, MiB, GiB, TiB, KB, MB, GB, TB"
	}
	if whole, err := strconv.ParseInt(number, 10, 64); err == nil {
		if whole > (1<<62)/factor {
			return 0, "it is too large"
		}
		return whole * factor, ""
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, "it does not start with a number"
	}
	if f*float64(factor) > 1<<62 {
		return 0, "it is too large"
	}
	return int64(f * float64(factor)), ""
}
