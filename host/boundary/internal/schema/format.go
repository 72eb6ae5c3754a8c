package schema

// format reports whether b certainly has a format. Other values are left to the
// library. The functions accept the plain forms of each format, which data usually
// has; fuzzing compares every yes with the library.
type format func(b []byte) bool

// formats are the formats of the shape. A schema with another format that the library
// asserts has no shape; a name that the library does not know is ignored by both.
var formats = map[string]format{
	unformatted: nil,
	"date-time": isDateTime,
	"date":      isDate,
	"uuid":      isUUID,
	"email":     isEmail,
	"uri":       isURI,
	"ipv4":      isIPv4,
	"hostname":  isHostname,
}

func digit(c byte) bool { return c-'0' <= 9 }

func letter(c byte) bool { return (c|0x20)-'a' <= 'z'-'a' }

func hexadecimal(c byte) bool { return digit(c) || (c|0x20)-'a' <= 'f'-'a' }

// two returns the number of two digits, or -1.
func two(a, b byte) int {
	if !digit(a) || !digit(b) {
		return -1
	}
	return int(a-'0')*10 + int(b-'0')
}

// isDate: RFC 3339 full-date.
func isDate(b []byte) bool {
	if len(b) != 10 || b[4] != '-' || b[7] != '-' {
		return false
	}
	century, year, month, day := two(b[0], b[1]), two(b[2], b[3]), two(b[5], b[6]), two(b[8], b[9])
	if century < 0 || year < 0 || month < 1 || month > 12 || day < 1 {
		return false
	}
	year += century * 100
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return day <= 29
		}
		return day <= 28
	case 4, 6, 9, 11:
		return day <= 30
	}
	return day <= 31
}

// isDateTime: RFC 3339 date-time, without leap seconds.
func isDateTime(b []byte) bool {
	if len(b) < 20 || b[10]|0x20 != 't' || !isDate(b[:10]) || b[13] != ':' || b[16] != ':' {
		return false
	}
	hour, minute, second := two(b[11], b[12]), two(b[14], b[15]), two(b[17], b[18])
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 {
		return false
	}
	b = b[19:]
	if b[0] == '.' {
		n := 1
		for n < len(b) && digit(b[n]) {
			n++
		}
		if n == 1 || n == len(b) {
			return false
		}
		b = b[n:]
	}
	if len(b) == 1 {
		return b[0]|0x20 == 'z'
	}
	if len(b) != 6 || (b[0] != '+' && b[0] != '-') || b[3] != ':' {
		return false
	}
	hour, minute = two(b[1], b[2]), two(b[4], b[5])
	return hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59
}

// isUUID: RFC 4122, either case.
func isUUID(b []byte) bool {
	if len(b) != 36 {
		return false
	}
	for i, c := range b {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return false
			}
		} else if !hexadecimal(c) {
			return false
		}
	}
	return true
}

// isEmail: letters, digits and . _ + - before the at-sign, a host name after.
func isEmail(b []byte) bool {
	if len(b) > 254 {
		return false
	}
	i, dot := 0, true
	for i < len(b) && b[i] != '@' {
		switch c := b[i]; {
		case c == '.':
			if dot {
				return false
			}
			dot = true
		case letter(c) || digit(c) || c == '_' || c == '+' || c == '-':
			dot = false
		default:
			return false
		}
		i++
	}
	return i > 0 && i <= 64 && !dot && i < len(b) && isHostname(b[i+1:])
}

// isHostname: labels of letters, digits and inner hyphens.
func isHostname(b []byte) bool {
	if len(b) == 0 || len(b) > 253 {
		return false
	}
	label := 0
	for i, c := range b {
		switch {
		case c == '.':
			if label == 0 || b[i-1] == '-' {
				return false
			}
			label = 0
			continue
		case c == '-':
			if label == 0 {
				return false
			}
		case !letter(c) && !digit(c):
			return false
		}
		if label++; label > 63 {
			return false
		}
	}
	return label > 0 && b[len(b)-1] != '-'
}

// isIPv4: four decimals without leading zeros.
func isIPv4(b []byte) bool {
	groups, value, digits := 1, 0, 0
	for _, c := range b {
		switch {
		case digit(c):
			if digits > 0 && value == 0 || digits == 3 {
				return false
			}
			value = value*10 + int(c-'0')
			digits++
			if value > 255 {
				return false
			}
		case c == '.' && digits > 0:
			groups, value, digits = groups+1, 0, 0
		default:
			return false
		}
	}
	return groups == 4 && digits > 0
}

// isURI: http or https, a host name, perhaps a port, and a path, query and
// fragment of unreserved and common characters.
func isURI(b []byte) bool {
	switch {
	case len(b) > 8 && string(b[:8]) == "https://":
		b = b[8:]
	case len(b) > 7 && string(b[:7]) == "http://":
		b = b[7:]
	default:
		return false
	}
	host := 0
	for host < len(b) && (letter(b[host]) || digit(b[host]) || b[host] == '-' || b[host] == '.') {
		host++
	}
	if host == 0 {
		return false
	}
	b = b[host:]
	if len(b) > 0 && b[0] == ':' {
		n := 1
		for n < len(b) && digit(b[n]) {
			n++
		}
		if n == 1 {
			return false
		}
		b = b[n:]
	}
	if len(b) > 0 && b[0] != '/' && b[0] != '?' && b[0] != '#' {
		return false
	}
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case letter(c) || digit(c) || inURI[c]:
		case c == '%' && i+2 < len(b) && hexadecimal(b[i+1]) && hexadecimal(b[i+2]):
			i += 2
		default:
			return false
		}
	}
	return true
}

var inURI = func() (in [256]bool) {
	for _, c := range "-._~!$&'()*+,;=:@/?#" {
		in[c] = true
	}
	return in
}()
