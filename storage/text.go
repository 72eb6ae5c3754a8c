package storage

import (
	"encoding/json"
)

// encode returns v as JSON text.
func encode(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

// jsonText copies JSON into a string; nothing at all is null.
func jsonText(b []byte) string {
	if len(b) == 0 {
		return "null"
	}
	return string(b)
}

func jsonBytes(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(text)
}
