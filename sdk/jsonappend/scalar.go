package jsonappend

import (
	"math"
	"strconv"
	"time"
)

// Null appends null.
func Null(dst []byte) []byte { return append(dst, "null"...) }

// Bool appends true or false.
func Bool(dst []byte, b bool) []byte { return strconv.AppendBool(dst, b) }

// Int appends n.
func Int(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

// Uint appends n.
func Uint(dst []byte, n uint64) []byte { return strconv.AppendUint(dst, n, 10) }

// Float appends the shortest text that reads back as f, in plain notation
// between 1e-6 and 1e21 and with an exponent outside. NaN and the infinities,
// which JSON has no text for, become null.
func Float(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Null(dst)
	}
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, 64)
}

// Time appends t in UTC as an RFC 3339 string, with as many decimals of a second as t
// has. RFC 3339 has no year outside 0 to 9999; such a time becomes null.
func Time(dst []byte, t time.Time) []byte {
	t = t.UTC()
	if y := t.Year(); y < 0 || y > 9999 {
		return Null(dst)
	}
	dst = append(dst, '"')
	dst = t.AppendFormat(dst, time.RFC3339Nano)
	return append(dst, '"')
}
