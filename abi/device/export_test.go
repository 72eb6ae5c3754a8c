package device

// Sorted is the form of RFC 8785.
func Sorted(text []byte) ([]byte, error) { return canonical(text, true) }
