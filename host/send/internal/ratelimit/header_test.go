package ratelimit

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// epoch is the time of these tests.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// headers makes a header of "Name: value" lines.
func headers(text string) http.Header {
	h := make(http.Header)
	for line := range strings.SplitSeq(text, "\n") {
		if name, value, ok := strings.Cut(line, ": "); ok {
			h.Add(name, value)
		}
	}
	return h
}

// Every dialect of quota headers that the table and the drafts name is read;
// what does not parse is no quota.
func TestWindows(t *testing.T) {
	t.Parallel()
	reset := func(s int64) string { return fmt.Sprint(epoch.Unix() + s) }
	for name, test := range map[string]struct {
		headers string
		want    string // name limit remaining per reset
	}{
		"github":            {"X-RateLimit-Limit: 5000\nX-RateLimit-Remaining: 4999\nX-RateLimit-Reset: " + reset(1800), "[ 5000 4999 0s 30m0s]"},
		"delta":             {"RateLimit-Limit: 10\nRateLimit-Remaining: 1\nRateLimit-Reset: 7", "[ 10 1 0s 7s]"},
		"millis":            {"X-Rate-Limit-Remaining: 3\nX-Rate-Limit-Reset: " + reset(9) + "000", "[ 0 3 0s 9s]"},
		"kong":              {"X-RateLimit-Remaining-Minute: 5\nX-RateLimit-Limit-Minute: 20\nX-RateLimit-Remaining-Day: 100", "[-Minute 20 5 1m0s 1m0s -Day 0 100 24h0m0s 24h0m0s]"},
		"structured":        {"RateLimit-Policy: \"burst\";q=100;w=60, \"daily\";q=1000;w=86400\nRateLimit: \"burst\";r=50;t=30, \"daily\";r=7;t=10", "[policy burst 100 50 1m0s 30s policy daily 1000 7 24h0m0s 10s]"},
		"quoted":            {"RateLimit: \"a;b,c\";r=5;t=3", "[policy a;b,c 0 5 0s 3s]"},
		"no t":              {"RateLimit-Policy: \"burst\";q=100;w=60\nRateLimit: \"burst\";r=50", "[policy burst 100 50 1m0s 1m0s]"},
		"draft 7":           {"RateLimit-Policy: 100;w=60\nRateLimit: limit=100, remaining=50, reset=30", "[policy 100 50 1m0s 30s]"},
		"draft 3":           {"RateLimit-Limit: 10, 10;w=1, 50;w=60\nRateLimit-Remaining: 3\nRateLimit-Reset: 1", "[ 10 3 0s 1s]"},
		"docker hub":        {"RateLimit-Limit: 100;w=21600\nRateLimit-Remaining: 76;w=21600", "[ 100 76 6h0m0s 6h0m0s]"},
		"reddit":            {"X-Ratelimit-Used: 2\nX-Ratelimit-Remaining: 598.0\nX-Ratelimit-Reset: 41", "[ 0 598 0s 41s]"},
		"discord":           {"X-RateLimit-Limit: 5\nX-RateLimit-Remaining: 0\nX-RateLimit-Reset: " + reset(99) + ".25\nX-RateLimit-Reset-After: 1.5", "[ 5 0 0s 1.5s]"},
		"mastodon":          {"X-RateLimit-Limit: 300\nX-RateLimit-Remaining: 299\nX-RateLimit-Reset: " + epoch.Add(5*time.Minute).Format("2006-01-02T15:04:05.000000Z"), "[ 300 299 0s 5m0s]"},
		"a date":            {"RateLimit-Remaining: 2\nRateLimit-Reset: " + epoch.Add(time.Minute).Format(http.TimeFormat), "[ 0 2 0s 1m0s]"},
		"a date gone by":    {"RateLimit-Remaining: 2\nRateLimit-Reset: " + epoch.Add(-time.Minute).Format(http.TimeFormat), "[ 0 2 0s 0s]"},
		"openai":            {"X-RateLimit-Limit-Requests: 60\nX-RateLimit-Remaining-Requests: 59\nX-RateLimit-Reset-Requests: 6m0s", "[-Requests 60 59 0s 6m0s]"},
		"anthropic":         {"Anthropic-RateLimit-Requests-Limit: 50\nAnthropic-RateLimit-Requests-Remaining: 49\nAnthropic-RateLimit-Requests-Reset: " + epoch.Add(time.Second).Format(time.RFC3339), "[ 50 49 0s 1s]"},
		"fitbit":            {"Fitbit-Rate-Limit-Limit: 150\nFitbit-Rate-Limit-Remaining: 149\nFitbit-Rate-Limit-Reset: 1478", "[ 150 149 0s 24m38s]"},
		"strava":            {"Date: " + epoch.Add(16*time.Minute).Format(http.TimeFormat) + "\nX-RateLimit-Limit: 200,2000\nX-RateLimit-Usage: 50,2001", "[X-Ratelimit-Limit 15m0s 200 150 15m0s 14m0s X-Ratelimit-Limit 24h0m0s 2000 0 24h0m0s 23h44m0s]"},
		"strava reads":      {"X-ReadRateLimit-Limit: 100,1000\nX-ReadRateLimit-Usage: 99,99", "[X-Readratelimit-Limit 15m0s 100 1 15m0s 15m0s X-Readratelimit-Limit 24h0m0s 1000 901 24h0m0s 24h0m0s]"},
		"etsy":              {"X-Limit-Per-Second: 10\nX-Remaining-This-Second: 9\nX-Limit-Per-Day: 10000\nX-Remaining-Today: 9000", "[second 10 9 1s 1s day 10000 9000 24h0m0s 24h0m0s]"},
		"toggl":             {"X-Toggl-Quota-Remaining: 3\nX-Toggl-Quota-Resets-In: 600", "[quota 0 3 0s 10m0s]"},
		"their time":        {"Date: " + epoch.Add(time.Hour).Format(http.TimeFormat) + "\nX-RateLimit-Remaining: 1\nX-RateLimit-Reset: " + reset(3660), "[ 0 1 0s 1m0s]"},
		"one of many":       {"X-RateLimit-Remaining: 1\nX-RateLimit-Reset: 5\nX-Rate-Limit-Remaining: 9\nX-Rate-Limit-Reset: 9", "[ 0 1 0s 5s]"},
		"no reset":          {"X-RateLimit-Remaining: 1", "[]"},
		"back in time":      {"X-RateLimit-Remaining: 1\nX-RateLimit-Reset: -5s", "[]"},
		"too far":           {"X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 99999999", "[] disbelieved"},
		"in millis":         {"X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 600000", "[] disbelieved"},
		"both millis":       {"RateLimit-Policy: \"a\";q=100;w=900000\nRateLimit: \"a\";r=0;t=600000", "[policy a 100 0 250h0m0s 24h0m0s] disbelieved"},
		"far, in hand":      {"X-RateLimit-Remaining: 1\nX-RateLimit-Reset: 600000", "[]"},
		"a long window":     {"RateLimit-Limit: 100;w=900000\nRateLimit-Remaining: 0", "[ 100 0 250h0m0s 24h0m0s]"},
		"known windows":     {"X-RateLimit-Remaining-Day: 0\nX-RateLimit-Reset-Day: 90000", "[-Day 0 0 24h0m0s 24h0m0s] disbelieved"},
		"nonsense":          {"X-RateLimit-Remaining: many\nX-RateLimit-Reset: soon", "[]"},
		"negative":          {"X-RateLimit-Remaining: 0\nX-RateLimit-Reset: -5", "[]"},
		"less than none":    {"X-RateLimit-Remaining: -1\nX-RateLimit-Reset: 5", "[]"},
		"a span back":       {"X-RateLimit-Remaining: 0\nX-RateLimit-Reset: -5s", "[]"},
		"no number":         {"X-RateLimit-Remaining: 0\nX-RateLimit-Reset: NaN", "[]"},
		"a negative window": {"RateLimit-Policy: \"a\";q=100;w=-60\nRateLimit: \"a\";r=50", "[]"},
		"no window":         {"RateLimit-Limit: 100;w=NaN\nRateLimit-Remaining: 0\nRateLimit-Reset: 5", "[ 100 0 0s 5s]"},
		"escaped":           {"RateLimit: \"a\\\";b\";r=5;t=3", "[policy a\\\";b 0 5 0s 3s]"},
		"version 7":         {"RateLimit-Policy: 100;w=60, 10;w=1\nRateLimit: limit=100, remaining=50, reset=30", "[policy 100 50 1m0s 30s]"},
		"infinite":          {"X-RateLimit-Remaining: 0\nX-RateLimit-Reset: +Inf", "[] disbelieved"},
		"the other half":    {"X-RateLimit-Limit: 200\nX-RateLimit-Usage: 50,60", "[]"},
		"spaced":            {"X-RateLimit-Remaining: 1\nX-RateLimit-Reset:  41 ", "[ 0 1 0s 41s]"},
		"too many":          {"X-RateLimit-Remaining: 2305843009213693952\nX-RateLimit-Reset: 41", "[]"},
		"half a pair":       {"X-RateLimit-Limit: 200,2000\nX-RateLimit-Usage: 50", "[]"},
		"none":              {"", "[]"},
	} {
		var got []string
		windows, disbelieved := Windows(epoch, headers(test.headers), 24*time.Hour)
		for _, w := range windows {
			got = append(got, fmt.Sprint(w.Name, " ", w.Limit, " ", w.Remaining, " ", w.Per, " ", w.Reset.Sub(epoch)))
		}
		s := "[" + strings.Join(got, " ") + "]"
		if disbelieved {
			s += " disbelieved"
		}
		if s != test.want {
			t.Errorf("%s: got %s, want %s", name, s, test.want)
		}
	}
}

// An answer with any window that has nothing left counts as exhausted, whenever that ends.
func TestExhausted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"X-RateLimit-Remaining: 0": true, "X-RateLimit-Remaining: 1": false, "": false,
		"X-RateLimit-Remaining-Minute: 5\nX-RateLimit-Remaining-Day: 0": true,
	} {
		if got := Exhausted(headers(text)); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

// Each row of the tables says where it is documented, and in the form in which
// net/http keeps a header's name: another spelling would be looked up in vain.
func TestQuotaTable(t *testing.T) {
	t.Parallel()
	names := func(provider, source string, list ...string) {
		if provider == "" || !strings.Contains(source, ".") {
			t.Errorf(`%v: provider %q, source %q, want provider != "" && strings.Contains(source, ".")`, list, provider, source)
		}
		for _, name := range list {
			if want := http.CanonicalHeaderKey(name); name != want {
				t.Errorf("%s: the header is %q, want %q", provider, name, want)
			}
		}
	}
	for _, f := range families {
		n := f.named("-Day", 0)
		names(f.provider, f.source, n.limit, n.remaining, n.reset, n.resetAfter)
	}
	for _, n := range singular {
		names(n.provider, n.source, n.limit, n.remaining, n.reset, n.resetAfter)
	}
	for _, p := range pairs {
		names(p.provider, p.source, p.limit, p.usage)
	}
}

// An answer that names more windows than a provider has is believed as far as the bound, in one
// header and in several, and what is read of it is bounded as it is read.
func TestWindowsAreBounded(t *testing.T) {
	t.Parallel()
	const named = 100
	var members []string
	for i := range named {
		members = append(members, fmt.Sprintf("\"w%d\";r=0;t=%d", i, i+1))
	}
	alone := "RateLimit: " + strings.Join(members, ", ")
	beside := alone + "\nX-Ratelimit-Remaining: 1\nX-Ratelimit-Reset: 41\nX-Ratelimit-Limit: 200,2000\nX-Ratelimit-Usage: 50,60"
	for _, s := range singular {
		beside += "\n" + s.remaining + ": 1\n" + s.reset + ": 41"
	}
	for name, text := range map[string]string{"one header": alone, "several": beside} {
		got, _ := Windows(epoch, headers(text), 24*time.Hour)
		if len(got) != MaxWindows || got[0].Name != "policy w0" || got[MaxWindows-1].Name != fmt.Sprint("policy w", MaxWindows-1) {
			t.Errorf("%s: got %d windows, want the first %d", name, len(got), MaxWindows)
		}
	}
	if got := len(parameters([]string{strings.Join(members, ", ")})); got != MaxWindows {
		t.Errorf("got %d members of a list, want %d", got, MaxWindows)
	}
}
