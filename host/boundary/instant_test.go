package boundary

import (
	"bytes"
	"testing"
	"time"
)

// A text that parseInstant accepts has the same meaning in the standard library.
func FuzzParseInstant(f *testing.F) {
	for _, s := range []string{
		"2026-01-31T10:00:00Z", "2026-01-31t10:00:00.123456789z", "2024-02-29", "2023-02-29", "2026-12-31T23:59:60Z",
		"2026-01-31T10:00:00+05:30", "2026-01-31T10:00:00.1234567891-23:59", "0000-01-01T00:00:00Z", "2026-13-01", "2026-01-31T10:00:00.Z",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		at, ok := parseInstant(b)
		want, err := time.Parse(time.RFC3339Nano, upper(b))
		if len(b) == 10 {
			want, err = time.Parse(time.DateOnly, string(b))
		}
		// The standard library also takes a comma before the fraction, an hour of
		// one digit, and offsets of 24 hours and 60 minutes.
		if err == nil && !ok && !bytes.ContainsRune(b, ',') && b[12] != ':' && b[len(b)-1]|0x20 == 'z' {
			t.Fatalf("%q is refused, want err != nil || ok || bytes.ContainsRune(b, ',') || b[12] == ':' || b[len(b)-1] | 0x20 != 'z'", b)
		}
		if ok && err == nil && (at.seconds != want.Unix() || int(at.nanos) != want.Nanosecond()) {
			t.Fatalf("%q = %+v, want %v", b, at, want)
		}
		if ok && err != nil && (len(b) < 19 || string(b[17:19]) != "60") {
			t.Fatalf(`%q is accepted: %v, want !ok || no error || len(b) >= 19 && string(b[17:19]) == "60"`, b, err)
		}
	})
}

func upper(b []byte) string {
	c := []byte(string(b))
	for i := range c {
		if c[i] == 't' || c[i] == 'z' {
			c[i] -= 0x20
		}
	}
	return string(c)
}
