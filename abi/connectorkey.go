package abi

// CanonicalKey returns the form in which connector keys are compared: lower
// case, with _ for -. Published connectors are spelled with either sign.
func CanonicalKey(key string) string {
	out := []byte(key)
	for i, c := range out {
		switch {
		case c == '-':
			out[i] = '_'
		case c >= 'A' && c <= 'Z':
			out[i] = c + 'a' - 'A'
		}
	}
	return string(out)
}

// SameConnector reports whether two keys name the same connector.
func SameConnector(a, b string) bool { return CanonicalKey(a) == CanonicalKey(b) }
