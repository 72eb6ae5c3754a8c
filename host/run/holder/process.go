package holder

import "strings"

// Process says in words which process a name of Self is, which may be on another machine.
// An older name has two parts.
func Process(name string) string {
	switch part := strings.Split(name, ":"); len(part) {
	case 2:
		return "process " + part[1]
	case 4, 5:
		return "process " + part[2]
	default:
		return "holder " + name
	}
}
