package db

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"reflect"

	"modernc.org/sqlite"
)

// SameJSONFunction is SameJSON in a statement.
const SameJSONFunction = "same_json"

func init() {
	sqlite.MustRegisterDeterministicScalarFunction(SameJSONFunction, 2, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		return SameJSON(textOf(args[0]), textOf(args[1])), nil
	})
}

func textOf(v driver.Value) []byte {
	switch v := v.(type) {
	case []byte:
		return v
	case string:
		return []byte(v)
	default:
		return nil
	}
}

// SameJSON reports whether two compact JSON texts differ in nothing but the order of
// their objects' members. Numbers are compared as they are written, since a number
// above 2^53 has no other exact form. It is called for records that differ, so what
// cannot be the same is seen without decoding.
func SameJSON(a, b []byte) bool {
	if len(a) != len(b) || !sameBytes(a, b) {
		return false
	}
	va, erra := decodeExact(a)
	vb, errb := decodeExact(b)
	return erra == nil && errb == nil && reflect.DeepEqual(va, vb)
}

// sameBytes reports whether b is made of the bytes of a, in any order.
func sameBytes(a, b []byte) bool {
	var count [256]int
	for i := range a {
		count[a[i]]++
		count[b[i]]--
	}
	return count == [256]int{}
}

func decodeExact(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}
