package schema

import (
	"encoding/json"

	"github.com/pdpp-host/pdpp-host/host/boundary/internal/tape"
)

// value returns the library's form of value i: numbers keep their text.
func value(t *tape.Tape, i int) any {
	switch t.Kind(i) {
	case tape.Null:
		return nil
	case tape.False:
		return false
	case tape.True:
		return true
	case tape.Number:
		return json.Number(t.Text(i))
	case tape.String:
		return string(t.Bytes(i, nil))
	case tape.Array:
		list := make([]any, 0, t.Count(i))
		for k, end := i+1, t.Next(i); k < end; k = t.Next(k) {
			list = append(list, value(t, k))
		}
		return list
	default:
		object := make(map[string]any, t.Count(i))
		for k, end := i+1, t.Next(i); k < end; k = t.Next(k + 1) {
			object[string(t.Bytes(k, nil))] = value(t, k+1)
		}
		return object
	}
}

// size counts the values in v, and adds one for each 8 bytes of text.
func size(v any) int {
	switch v := v.(type) {
	case string:
		return 1 + len(v)/8
	case json.Number:
		return 1 + len(v)/8
	case []any:
		n := 1
		for _, item := range v {
			n += size(item)
		}
		return n
	case map[string]any:
		n := 1
		for name, item := range v {
			n += 1 + len(name)/8 + size(item)
		}
		return n
	default:
		return 1
	}
}
