package health

import "strings"

// credentialWords mark a reason as being about credentials wherever they stand
// in it.
var credentialWords = []string{
	"auth", "credential", "login", "token", "session_expired", "session_required", "session_failed",
	"invalid_grant", "invalid_client",
}

// credentialShaped reports whether a normalised reason is about credentials. A
// status number counts only where it stands alone: an item's number is none.
func credentialShaped(code Word) bool {
	s := string(code)
	for _, w := range credentialWords {
		if strings.Contains(s, w) {
			return true
		}
	}
	return strings.Contains("_"+s+"_", "_401_")
}

// dependencyWords name what is lacking wherever they stand in a reason.
var dependencyWords = [...]struct {
	word    string
	outcome int
}{
	{"browser_runtime_not_configured", runtimeNoBrowser},
	{"missing_browser_surface", runtimeNoSurface},
	{"missing_runtime_binding", runtimeNoBinding},
	{"runtime_binding_missing", runtimeNoBinding},
	{"binary_missing", runtimeNoTool},
	{"external_tool_missing", runtimeNoTool},
	{"external_tool_unavailable", runtimeNoTool},
}

// runtimeDependency returns the outcome of a normalised reason that names
// something the connector runs on and this host lacks.
func runtimeDependency(code Word) (outcome int, ok bool) {
	for i := range dependencyWords {
		if w := &dependencyWords[i]; strings.Contains(string(code), w.word) {
			return w.outcome, true
		}
	}
	return 0, false
}

// withoutPrefix strips what stands before a backoff class's first colon and
// says who classed it. Any other prefix stays: behind "token:" stands a secret,
// which admit has to see.
func withoutPrefix(class Word) Word {
	switch by, rest, _ := strings.Cut(string(class), ":"); by {
	case "failure", "terminal", "connector":
		return Word(strings.TrimSpace(rest))
	}
	return class
}
