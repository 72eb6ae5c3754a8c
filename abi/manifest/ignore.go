package manifest

import (
	"path"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// IsPattern reports whether an abi.Ignore may have the pattern. One that would cover every file
// is none: it would make a folder look read.
func IsPattern(pattern string) bool {
	inner := strings.TrimSuffix(pattern, "/")
	if strings.Trim(inner, "*?/") == "" || strings.ContainsAny(inner, "\\:") || path.Clean(inner) != inner {
		return false
	}
	_, err := path.Match(inner, "")
	return err == nil && !path.IsAbs(inner) && !strings.HasPrefix(inner, "../") && inner != ".."
}

// Covers reports whether a rule is about the file at a path below its root.
func Covers(rule abi.Ignore, file string) bool {
	if rule.Pattern == file {
		return true // also where its name has letters that mean something in a pattern
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
