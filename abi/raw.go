package abi

// Raw is one JSON value in its original text. It implements the encoding/json
// interfaces without importing the package.
type Raw []byte

// MarshalJSON returns the text itself, or null when it is empty.
func (r Raw) MarshalJSON() ([]byte, error) {
	if len(r) == 0 {
		return []byte("null"), nil
	}
	return r, nil
}

// UnmarshalJSON stores a copy of b.
func (r *Raw) UnmarshalJSON(b []byte) error {
	*r = append((*r)[:0], b...)
	return nil
}
