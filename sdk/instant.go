package sdk

import "time"

// parseInstant reads a consent time as the boundary does: an RFC 3339 date-time, with T
// and Z in either case, or a full-date, which means its midnight in UTC. A leap second
// counts as the second after it. If only one of the two accepted a text, a record would
// be lost silently, or one record would end the run.
func parseInstant(s string) (time.Time, bool) {
	if len(s) == len(time.DateOnly) {
		t, err := time.Parse(time.DateOnly, s)
		return t, err == nil
	}
	if len(s) < len("2006-01-02T15:04:05Z") {
		return time.Time{}, false
	}
	if s[13] != ':' || s[16] != ':' {
		return time.Time{}, false
	}
	if n := len(s) - 6; s[n] == '+' || s[n] == '-' { // an offset, which time.Parse does not bound
		if s[n+1:n+3] > "23" || s[n+4:] > "59" {
			return time.Time{}, false
		}
	}
	var room [64]byte
	b := append(room[:0], s...)
	if b[10] == 't' {
		b[10] = 'T'
	}
	if last := len(b) - 1; b[last] == 'z' {
		b[last] = 'Z'
	}
	leap := time.Duration(0)
	if b[17] == '6' && b[18] == '0' {
		b[17], b[18] = '5', '9'
		leap = time.Second
	}
	if b[19] == ',' { // time.Parse takes a comma before the decimals
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339, string(b))
	return t.Add(leap), err == nil
}
