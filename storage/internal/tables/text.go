package tables

import (
	"encoding/json"
)

// EncodeJSON returns v as JSON text.
func EncodeJSON(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

// JSONText copies JSON into a string; nothing at all is null.
func JSONText(b []byte) string {
	if len(b) == 0 {
		return "null"
	}
	return string(b)
}

// JSONBytes returns JSON text as bytes; nil for "".
func JSONBytes(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(text)
}
