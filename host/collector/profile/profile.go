package profile

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// The names that a profile has in its file, and in the environment.
const (
	EnvBaseURL           = "PDPP_REFERENCE_BASE_URL"
	EnvDeviceID          = "PDPP_LOCAL_DEVICE_ID"
	EnvDeviceToken       = "PDPP_LOCAL_DEVICE_TOKEN" //nolint:gosec // the name of a variable
	EnvSourceInstance    = "PDPP_SOURCE_INSTANCE_ID"
	EnvConnection        = "PDPP_CONNECTION_ID" // the same, under its older name
	EnvConnector         = "PDPP_CONNECTOR_ID"
	EnvConnectorInstance = "PDPP_CONNECTOR_INSTANCE_ID"
	EnvQueue             = "PDPP_COLLECTOR_QUEUE"
)

// Profile is one enrolled lane: where its host is, what it is called there, and
// the credential that it was given.
type Profile struct {
	Name                string // of its file, without .env; "" when it came from the environment
	BaseURL             string
	DeviceID            string
	Token               Token
	SourceInstanceID    string
	ConnectorID         string
	ConnectorInstanceID string // what the owner's host calls the connection; "" when it is not known
	Queue               string // the lane's file, when it is not the usual one
}

// Parse reads a profile's file: a line is NAME=VALUE, empty, or a comment
// that begins with #. A value may stand in double or single quotes. A name that
// is not a profile's is left alone. No error holds a value.
func Parse(name, text string) (*Profile, error) {
	values := map[string]string{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(strings.TrimSuffix(line, "\r"))
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		if key = strings.TrimSpace(key); !ok || key == "" {
			return nil, invalidProfile(name, lineOf(i)+" is not NAME=VALUE")
		}
		value, ok = unquoted(strings.TrimSpace(value))
		if !ok || strings.ContainsFunc(value, control) {
			return nil, invalidProfile(name, "the value of "+keyName(key)+" cannot be read")
		}
		if _, twice := values[key]; twice {
			return nil, invalidProfile(name, keyName(key)+" stands twice")
		}
		values[key] = value
	}
	return profileOf(name, func(key string) string { return values[key] })
}

// FromEnv reads a profile out of the environment. It is nil when none of
// a profile's own names is set; a part of one is an error.
func FromEnv(getenv func(string) string) (*Profile, error) {
	set := false
	for _, key := range []string{EnvBaseURL, EnvDeviceID, EnvDeviceToken} {
		set = set || getenv(key) != ""
	}
	if !set {
		return nil, nil
	}
	return profileOf("", getenv)
}

// profileOf makes a profile, and refuses one that is not whole.
func profileOf(name string, get func(string) string) (*Profile, error) {
	p := &Profile{
		Name: name, BaseURL: get(EnvBaseURL), DeviceID: get(EnvDeviceID), Token: NewToken(get(EnvDeviceToken)),
		SourceInstanceID: get(EnvSourceInstance), ConnectorID: get(EnvConnector),
		ConnectorInstanceID: get(EnvConnectorInstance), Queue: get(EnvQueue),
	}
	switch alias := get(EnvConnection); {
	case p.SourceInstanceID == "":
		p.SourceInstanceID = alias
	case alias != "" && alias != p.SourceInstanceID:
		return nil, invalidProfile(name, EnvConnection+" and "+EnvSourceInstance+" name two lanes")
	}
	for _, part := range []struct{ key, value string }{
		{EnvBaseURL, p.BaseURL}, {EnvDeviceID, p.DeviceID}, {EnvDeviceToken, p.Token.Reveal()},
		{EnvSourceInstance, p.SourceInstanceID}, {EnvConnector, p.ConnectorID},
	} {
		if part.value == "" {
			return nil, invalidProfile(name, part.key+" is missing")
		}
	}
	if _, err := Origin(p.BaseURL); err != nil {
		return nil, err
	}
	return p, nil
}

// Named reports whether a name is the source's: its id, or what else it goes by here,
// which others may share: the profile's name, the connector's, the connection's.
func (p *Profile) Named(name string) bool {
	return name != "" && (p.SourceInstanceID == name || p.Name == name || p.ConnectorInstanceID == name || abi.SameConnector(p.ConnectorID, name))
}

func invalidProfile(name, why string) *abi.Error {
	e := abi.NewError(CodeInvalid, "the profile cannot be used: "+why,
		"enroll this device again with a new code: pdpp-local-collector setup --base-url ADDRESS")
	if name != "" {
		return e.WithDetail(name + profileSuffix)
	}
	return e.WithDetail("environment")
}
