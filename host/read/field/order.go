package field

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi/declaration"
)

// The first byte of what a value is ordered by. A missing value stands behind every other.
const (
	present = 0x01
	missing = 0xff
)

// Missing orders a record without the value (RD-15).
func Missing() []byte { return []byte{missing} }

// IsMissing reports whether a record has no value to be ordered by.
func IsMissing(order []byte) bool { return len(order) > 0 && order[0] == missing }

// Order returns bytes that compare as stored values of a type do: numbers as numbers, dates
// as instants, texts by their bytes, false before true (RD-15.1). A value that does not fit
// its type, and one that is absent or null, is Missing.
func Order(t declaration.Type, value []byte) []byte {
	switch t {
	case declaration.Number:
		if len(value) > 0 && (value[0] == '-' || value[0] >= '0' && value[0] <= '9') {
			return orderOf(t, string(value))
		}
	case declaration.Boolean:
		if s := string(value); s == "true" || s == "false" {
			return orderOf(t, s)
		}
	case declaration.Text, declaration.Date, declaration.DateTime:
		if s, ok := String(value); ok {
			return orderOf(t, s)
		}
	}
	return Missing()
}

// OrderTyped is Order of what somebody typed; false: it is no value of that type.
func OrderTyped(t declaration.Type, typed string) ([]byte, bool) {
	order := orderOf(t, typed)
	return order, !IsMissing(order)
}

func orderOf(t declaration.Type, s string) []byte {
	switch t {
	case declaration.Text:
		return append([]byte{present}, s...)
	case declaration.Boolean:
		if s == "true" || s == "false" {
			return []byte{present, byte(len("false") - len(s))}
		}
	case declaration.Number:
		if order, ok := orderNumber(s); ok {
			return order
		}
	case declaration.Date, declaration.DateTime:
		if at, ok := readInstant(t, s); ok {
			order := binary.BigEndian.AppendUint64([]byte{present}, uint64(at.seconds)^1<<63) //nolint:gosec // the sign bit is turned, so that it compares
			return append(order, at.fraction...)
		}
	}
	return Missing()
}

// The second byte of a number.
const (
	negative = 0x01
	zero     = 0x02
	positive = 0x03
)

// mostExponent bounds the exponents that are told apart.
const mostExponent = 1 << 40

// orderNumber orders a JSON number by all of its digits: its sign, the exponent of
// 0.DIGITS, and the digits, each turned over below zero.
func orderNumber(s string) ([]byte, bool) {
	rest, below := strings.CutPrefix(s, "-")
	mantissa, exponent, has := strings.Cut(strings.ReplaceAll(rest, "E", "e"), "e")
	shift := int64(0)
	if has {
		if exponent == "" || strings.Trim(exponent[1:], "0123456789") != "" {
			return nil, false
		}
		n, err := strconv.ParseInt(exponent, 10, 64)
		if err != nil && n == 0 {
			return nil, false
		}
		shift = max(min(n, mostExponent/2), -mostExponent/2)
	}
	whole, fraction, dotted := strings.Cut(mantissa, ".")
	if whole == "" || dotted && fraction == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		return nil, false
	}
	digits := strings.TrimLeft(whole+fraction, "0")
	shift += int64(len(whole)) - int64(len(whole)+len(fraction)-len(digits))
	digits = strings.TrimRight(digits, "0")
	if digits == "" {
		return []byte{present, zero}, true
	}
	order := binary.BigEndian.AppendUint64([]byte{present, positive}, uint64(shift+mostExponent)) //nolint:gosec // above zero
	order = append(order, digits...)
	if below {
		order[1] = negative
		for i := 2; i < len(order); i++ {
			order[i] = ^order[i]
		}
		order = append(order, 0xff) // fewer digits are nearer to zero
	}
	return order, true
}
