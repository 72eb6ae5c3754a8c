package db

import (
	"encoding/json"
	"testing"
)

func FuzzSameJSON(f *testing.F) {
	f.Add(`{"a":1,"b":2}`, `{"b":2,"a":1}`)
	f.Add(`[1,2]`, `[2,1]`)
	f.Add(`{"a":{"a":1}}`, `{"a":{"a":1}}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		if SameJSON([]byte(a), []byte(b)) != SameJSON([]byte(b), []byte(a)) {
			t.Error("the order of the two decides, want it not to")
		}
		if valid := json.Valid([]byte(a)); valid && !SameJSON([]byte(a), []byte(a)) {
			t.Error("a text differs from itself")
		}
	})
}
