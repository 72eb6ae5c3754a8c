package health

import "strings"

// credentialWords mark a reason as being about credentials, wherever they occur in it.
var credentialWords = []string{
	"auth", "credential", "login", "token", "session_expired", "session_required", "session_failed",
	"invalid_grant", "invalid_client",
}

// CredentialShaped reports whether a normalised reason is about credentials. A status
// number counts only as a word of its own, not inside an item's number.
func CredentialShaped(code Word) bool {
	s := string(code)
	for _, w := range credentialWords {
		if strings.Contains(s, w) {
			return true
		}
	}
	return strings.Contains("_"+s+"_", "_401_")
}

// dependencyWords name a missing dependency, wherever they occur in a reason.
var dependencyWords = [...]struct {
	word    string
	outcome int
}{
	{"browser_runtime_not_configured", runtimeNoBrowser},
	{"browser_not_given", runtimeNoBrowser},
	{"missing_browser_surface", runtimeNoSurface},
	{"missing_runtime_binding", runtimeNoBinding},
	{"runtime_binding_missing", runtimeNoBinding},
	{"binary_missing", runtimeNoTool},
	{"external_tool_missing", runtimeNoTool},
	{"external_tool_unavailable", runtimeNoTool},
}

// runtimeDependency returns the outcome for a normalised reason that names something
// that the connector needs and this host lacks.
func runtimeDependency(code Word) (outcome int, ok bool) {
	for i := range dependencyWords {
		if w := &dependencyWords[i]; strings.Contains(string(code), w.word) {
			return w.outcome, true
		}
	}
	return 0, false
}

// withoutPrefix strips the part of a backoff class before its first colon if it names
// the classifier. Any other prefix stays: a secret may follow "token:", and reasonOf has
// to see it.
func withoutPrefix(class Word) Word {
	switch by, rest, _ := strings.Cut(string(class), ":"); by {
	case "failure", "terminal", "connector":
		return Word(strings.TrimSpace(rest))
	}
	return class
}
