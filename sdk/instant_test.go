package sdk

import (
	"testing"
	"time"
)

// Times are read as the boundary reads them.
func TestInstant(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-01-02": "2026-01-02T00:00:00Z", "2026-01-02T03:04:05Z": "2026-01-02T03:04:05Z", "2026-01-02t03:04:05z": "2026-01-02T03:04:05Z",
		"2026-01-02T03:04:05.25+01:30": "2026-01-02T01:34:05.25Z", "2026-06-30T23:59:60Z": "2026-07-01T00:00:00Z",
		"2026-01-02T03:04:05-23:59": "2026-01-03T03:03:05Z",
	} {
		if got, ok := parseInstant(text); !ok || got.UTC().Format(time.RFC3339Nano) != want {
			t.Errorf("%s: %v %v, want ok and UTC().Format(time.RFC3339Nano) = %v", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"", "2026", "2026-02-30", "2026-1-2", "2026-01-02T3:04:05Z", "2026-01-02 03:04:05Z", "2026-01-02T03:04:05", "2026-01-02T03:04Z",
		"2026-01-02T24:00:00Z", "2026-01-02T03:04:05,5Z", "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05+24:00", "2026-01-02T03:04:05+01:60",
		"2026-01-02T03:04:61Z", "2026-01-02T03:04:05+0100", "2026-01-02T03:04:05Zx", "1767323045",
	} {
		if got, ok := parseInstant(text); ok {
			t.Errorf("%q was read as %v, want it refused", text, got)
		}
	}
}

// A key for which the host would end the run is not good.
func TestGoodKey(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{
		`"a"`: true, `"a\u0000"`: false, `"\\u0000"`: true, `"\\\u0000"`: false, `"\u0001"`: true, `["a","\u0000b"]`: false,
		`"` + string(make([]byte, maxKeyBytes)) + `"`: false,
	} {
		if got := goodKey([]byte(key)); got != want {
			t.Errorf("%.20q: %v, want %v", key, got, want)
		}
	}
}
