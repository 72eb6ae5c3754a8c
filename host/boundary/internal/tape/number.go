package tape

// number scans a number and returns its end, or the bitwise complement of the position
// of an error.
func number(src []byte, i int) (end int, f flags) {
	start := i
	if i < len(src) && src[i] == '-' {
		i++
	}
	switch {
	case i >= len(src) || !digit(src[i]):
		return ^i, 0
	case src[i] == '0':
		i++
	default:
		i = digits(src, i)
	}
	if i < len(src) && src[i] == '.' {
		f |= fraction
		from := i + 1
		if i = digits(src, from); i == from {
			return ^i, 0
		}
	}
	if i < len(src) && src[i]|0x20 == 'e' {
		f |= exponent
		i++
		if i < len(src) && (src[i] == '+' || src[i] == '-') {
			i++
		}
		from := i
		if i = digits(src, from); i == from {
			return ^i, 0
		}
		value := 0
		for _, c := range src[from:i] {
			if value = value*10 + int(c-'0'); value > MaxExponent {
				f |= vast
				break
			}
		}
	}
	if i-start > MaxNumberBytes {
		f |= vast
	}
	return i, f
}

func digits(src []byte, i int) int {
	for i < len(src) && digit(src[i]) {
		i++
	}
	return i
}

func digit(c byte) bool { return c-'0' <= 9 }

// Int64 returns the value of number i if it is written as an integer of at most 18
// digits.
func (t *Tape) Int64(i int) (v int64, ok bool) {
	n := &t.nodes[i]
	b := t.src[n.start:n.end]
	if n.flags&(fraction|exponent) != 0 || len(b) > 19 {
		return 0, false
	}
	negative := b[0] == '-'
	if negative {
		b = b[1:]
	}
	if len(b) > 18 {
		return 0, false
	}
	for _, c := range b {
		v = v*10 + int64(c-'0')
	}
	if negative {
		v = -v
	}
	return v, true
}
