package manifest

import (
	"path"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// IsPattern reports whether an abi.Ignore may have the pattern. One that would cover every file
// is refused: it would make a folder look read. So a pattern has a letter of its own, or a name
// that begins with a dot.
func IsPattern(pattern string) bool {
	inner := strings.TrimSuffix(pattern, "/")
	if strings.ContainsAny(inner, "\\:") || path.Clean(inner) != inner || !distinguishes(inner) {
		return false
	}
	_, err := path.Match(inner, "")
	return err == nil && !path.IsAbs(inner) && !strings.HasPrefix(inner, "../") && inner != ".."
}

// distinguishes reports whether a pattern has anything that not every name has: a letter outside
// of a class, or a dot that a name begins with.
func distinguishes(pattern string) bool {
	class := false
	for i, r := range pattern {
		switch {
		case class:
			class = r != ']'
		case r == '[':
			class = true
		case r == '.':
			if (i == 0 || pattern[i-1] == '/') && pattern != "." && pattern != ".." {
				return true
			}
		case !strings.ContainsRune("*?/]", r):
			return true
		}
	}
	return false
}

// ExactFile returns the pattern of one file, or of one folder with all that is in it: its path behind
// a slash, in which no letter stands for others.
func ExactFile(file string) string { return "/" + file }

// Covers reports whether a rule is about the file at a path below its root.
func Covers(rule abi.Ignore, file string) bool {
	if exact, is := strings.CutPrefix(rule.Pattern, "/"); is {
		return file == exact || strings.HasPrefix(file, exact+"/")
	}
	if folder, is := strings.CutSuffix(rule.Pattern, "/"); is {
		return covers(folder, file, true)
	}
	return covers(rule.Pattern, file, false)
}

// covers holds a pattern against a file, or against each folder above it.
func covers(pattern, file string, folders bool) bool {
	at := file
	if folders {
		at = path.Dir(file)
	}
	for at != "." && at != "/" && at != "" {
		name := at
		if !strings.Contains(pattern, "/") {
			name = path.Base(at)
		}
		if ok, err := path.Match(pattern, name); ok && err == nil {
			return true
		}
		if !folders {
			return false
		}
		at = path.Dir(at)
	}
	return false
}
