package jsonstream

// valueEnd finds the end of a value by its brackets and quotes.
type valueEnd struct {
	depth         int
	text, escaped bool
}

// atWord reports whether the value may be a number or a word, which the end of the text
// ends, too.
func (v *valueEnd) atWord() bool { return v.depth == 0 && !v.text }

// in returns how much of b belongs to the value, and whether it ends there.
func (v *valueEnd) in(b []byte) (n int, done bool) {
	for i, c := range b {
		switch {
		case v.escaped:
			v.escaped = false
		case v.text:
			v.escaped = c == '\\'
			if v.text = c != '"'; !v.text && v.depth == 0 {
				return i + 1, true
			}
		case c == '"':
			v.text = true
		case c == '{' || c == '[':
			v.depth++
		case c == '}' || c == ']':
			if v.depth == 0 { // of the container around a number or a word
				return i, true
			}
			if v.depth--; v.depth == 0 {
				return i + 1, true
			}
		case v.depth == 0 && (c == ',' || c == ' ' || c == '\n' || c == '\r' || c == '\t'):
			return i, true
		}
	}
	return len(b), false
}
