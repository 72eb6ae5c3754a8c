package boundary

import (
	"math"
	"time"
)

// instant is a point in time: seconds since 1970 in UTC, and nanoseconds.
type instant struct {
	seconds int64
	nanos   int32
}

var (
	earliest = instant{math.MinInt64, 0}
	latest   = instant{math.MaxInt64, 0}
)

func (a instant) before(b instant) bool {
	return a.seconds < b.seconds || a.seconds == b.seconds && a.nanos < b.nanos
}

// parseInstant reads an RFC 3339 date-time, or a full-date as its midnight in UTC,
// since consent times of daily data are dates. Digits beyond nanoseconds are dropped.
// A leap second counts as the second after it.
func parseInstant(b []byte) (instant, bool) {
	if len(b) < 10 || b[4] != '-' || b[7] != '-' {
		return instant{}, false
	}
	year, month, day := number(b[0:4]), number(b[5:7]), number(b[8:10])
	if year < 0 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return instant{}, false
	}
	date := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Unix()
	if len(b) == 10 {
		return instant{date, 0}, true
	}
	if len(b) < 20 || b[10]|0x20 != 't' || b[13] != ':' || b[16] != ':' {
		return instant{}, false
	}
	hour, minute, second := number(b[11:13]), number(b[14:16]), number(b[17:19])
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60 {
		return instant{}, false
	}
	at := instant{seconds: date + int64(hour*3600+minute*60+second)}
	b = b[19:]
	if b[0] == '.' {
		unit := int32(100_000_000)
		n := 1
		for ; n < len(b) && b[n]-'0' <= 9; n++ {
			at.nanos += int32(b[n]-'0') * unit
			unit /= 10
		}
		if n == 1 {
			return instant{}, false
		}
		b = b[n:]
	}
	if len(b) == 1 && b[0]|0x20 == 'z' {
		return at, true
	}
	if len(b) != 6 || b[0] != '+' && b[0] != '-' || b[3] != ':' {
		return instant{}, false
	}
	hour, minute = number(b[1:3]), number(b[4:6])
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 {
		return instant{}, false
	}
	offset := int64(hour*3600 + minute*60)
	if b[0] == '+' {
		offset = -offset
	}
	at.seconds += offset
	return at, true
}

// number returns the value of a few digits, or -1.
func number(b []byte) int {
	n := 0
	for _, c := range b {
		if c-'0' > 9 {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	return n
}

func daysIn(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}
