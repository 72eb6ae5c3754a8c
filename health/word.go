package health

import "encoding/json"

// Word is a short text that may be missing: the empty Word is null on the wire. Words
// that leave this package are stable lower-case codes or identities.
type Word string

// MarshalJSON writes the word, or null for none.
func (w Word) MarshalJSON() ([]byte, error) {
	if w == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(w))
}
