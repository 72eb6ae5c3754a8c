package main

import "time"

// noTime is the time of a line without a usable timestamp.
const noTime = int64(-1 << 63)

// parseTime returns an RFC 3339 timestamp as Unix milliseconds, noTime for any other
// text. It is stricter than time.Parse where the schema's format date-time is: no comma
// before the fraction.
func parseTime(s string) int64 {
	if len(s) < len("2006-01-02T15:04:05Z") || len(s) > len("2006-01-02T15:04:05.000000000+00:00") || s[10] != 'T' || s[19] == ',' {
		return noTime
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return noTime
	}
	return t.UnixMilli()
}

// formatTime is the inverse, "" for noTime.
func formatTime(ms int64) string {
	if ms == noTime {
		return ""
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
}
