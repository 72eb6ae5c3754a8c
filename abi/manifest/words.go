package manifest

import (
	"net/url"
	"path"
	"strings"
)

// RulePattern is what IsPattern accepts, in words.
const RulePattern = "must be a file's name, a path below the folder, or a folder with a slash at its end, where * and ? stand for other letters"

// Predicates for the words of a manifest, each with the rule that its refusal states.
const (
	ruleIdentifier = "must be lower-case letters, digits and underscores, starting with a letter"
	ruleKey        = "must be lower-case letters, digits, hyphens and underscores, starting with a letter"
	ruleEnv        = "must be an environment variable's name: capital letters, digits and underscores, starting with a letter"
	ruleURL        = "must be an absolute URL with a host"
	// Some published connectors use their key as their id.
	ruleConnectorID = "must be an absolute URL with a host, or a connector_key"
	ruleVersion     = "must be a version of the form 1.2.3, with an optional -pre.release and +build"
	rulePath        = "must be a relative path with forward slashes and without . or .. parts"
)

func lower(c byte) bool { return c >= 'a' && c <= 'z' }
func upper(c byte) bool { return c >= 'A' && c <= 'Z' }
func digit(c byte) bool { return c >= '0' && c <= '9' }

func every(s string, ok func(byte) bool) bool {
	for i := range len(s) {
		if !ok(s[i]) {
			return false
		}
	}
	return s != ""
}

func isIdentifier(s string) bool {
	return s != "" && lower(s[0]) && every(s, func(c byte) bool { return lower(c) || digit(c) || c == '_' })
}

// IsStreamName reports whether a stream of a manifest may have the name.
func IsStreamName(name string) bool { return isIdentifier(name) && len(name) <= maxName }

func isKey(s string) bool {
	return s != "" && lower(s[0]) && every(s, func(c byte) bool { return lower(c) || digit(c) || c == '_' || c == '-' })
}

func isConnectorID(s string) bool { return isURL(s) || isKey(s) && len(s) <= maxName }

func isEnv(s string) bool {
	return s != "" && upper(s[0]) && every(s, func(c byte) bool { return upper(c) || digit(c) || c == '_' })
}

func isURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme != "" && u.Host != "" && u.User == nil
}

// isVersion accepts the grammar of Semantic Versioning 2.0.0.
func isVersion(s string) bool {
	s, build, hasBuild := strings.Cut(s, "+")
	core, pre, hasPre := strings.Cut(s, "-")
	if hasBuild && !dotted(build, false) || hasPre && !dotted(pre, true) {
		return false
	}
	parts := strings.Split(core, ".")
	if len(parts) != 3 {
		return false
	}
	for _, p := range parts {
		if !every(p, digit) || !canonical(p) {
			return false
		}
	}
	return true
}

func dotted(s string, numbersCanonical bool) bool {
	for part := range strings.SplitSeq(s, ".") {
		if !every(part, func(c byte) bool { return lower(c) || upper(c) || digit(c) || c == '-' }) {
			return false
		}
		if numbersCanonical && every(part, digit) && !canonical(part) {
			return false
		}
	}
	return true
}

// canonical reports whether a number has no leading zero.
func canonical(s string) bool { return len(s) == 1 || s[0] != '0' }

// isRelativePath accepts a path that stays below the folder to which it is joined on
// every platform, and is not that folder itself.
func isRelativePath(s string) bool {
	if strings.ContainsAny(s, `\:`) || path.IsAbs(s) || path.Clean(s) != s {
		return false
	}
	return s != "." && s != ".." && !strings.HasPrefix(s, "../")
}
