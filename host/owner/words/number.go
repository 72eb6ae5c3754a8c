package words

import (
	"fmt"
	"strconv"
	"strings"
)

// Count writes a number with thin groups of three: 18 204.
func Count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(d)
	}
	return sign + b.String()
}

// Plural writes a count with its noun: "1 record", "2 records".
func Plural(n int64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + one + "s"
}

// Bytes writes a size for people, in decimal units: 212 MB.
func Bytes(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	value, unit := float64(n)/1e3, "kB"
	for _, next := range []string{"MB", "GB", "TB"} {
		if value < 999.5 {
			break
		}
		value, unit = value/1e3, next
	}
	if value < 9.95 {
		return fmt.Sprintf("%.1f %s", value, unit)
	}
	return fmt.Sprintf("%.0f %s", value, unit)
}

// ShortHash writes the two ends of a hash: 3f1c…9a.
func ShortHash(h string) string {
	if len(h) < 8 {
		return h
	}
	return h[:4] + "…" + h[len(h)-2:]
}
