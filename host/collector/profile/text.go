package profile

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// profileKeys are the names of a profile, in the order of its file.
var profileKeys = []string{
	EnvBaseURL, EnvDeviceID, EnvDeviceToken, EnvSourceInstance, EnvConnection, EnvConnector, EnvConnectorInstance, EnvQueue,
}

// Text is the profile's file.
func (p *Profile) Text() (string, error) {
	var b strings.Builder
	b.WriteString("# A lane of pdpp-local-collector. It holds a credential: keep it to yourself.\n")
	for _, part := range []struct{ key, value string }{
		{EnvBaseURL, p.BaseURL}, {EnvDeviceID, p.DeviceID}, {EnvDeviceToken, p.Token.text},
		{EnvSourceInstance, p.SourceInstanceID}, {EnvConnector, p.ConnectorID},
		{EnvConnectorInstance, p.ConnectorInstanceID}, {EnvQueue, p.Queue},
	} {
		if part.value == "" {
			continue
		}
		quoted, ok := quote(part.value)
		if !ok {
			return "", invalidProfile(p.Name, "the value of "+part.key+" cannot be written on a line")
		}
		b.WriteString(part.key + "=" + quoted + "\n")
	}
	return b.String(), nil
}

// quote writes a value so that unquoted, and a shell, read it back.
func quote(value string) (string, bool) {
	switch {
	case strings.ContainsFunc(value, control):
		return "", false
	case !strings.ContainsFunc(value, special):
		return value, true
	case !strings.Contains(value, "'"):
		return "'" + value + "'", true
	case !strings.ContainsAny(value, "\"\\$`"):
		return `"` + value + `"`, true
	}
	return "", false
}

// unquoted takes one pair of quotes off. A quote that is not closed is no value.
func unquoted(value string) (string, bool) {
	if value == "" || value[0] != '"' && value[0] != '\'' {
		return value, true
	}
	if len(value) < 2 || value[len(value)-1] != value[0] {
		return "", false
	}
	inner := value[1 : len(value)-1]
	return inner, !strings.Contains(inner, value[:1])
}

func control(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }

func special(r rune) bool {
	return !(r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r))) && !strings.ContainsRune("-_./:@%+=,", r)
}

// keyName is a name as an error may show it: what is no name of a profile may be
// a part of a secret that was pasted into the wrong place.
func keyName(key string) string {
	if slices.Contains(profileKeys, key) {
		return key
	}
	return "a line"
}

func lineOf(i int) string { return "line " + strconv.Itoa(i+1) }
