package public

import (
	"encoding/json"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// id is the key of most streams.
const id = "id"

// Nameless is the stream of the records of a device that name no stream, or one of a name that no stream may have.
const Nameless = "nameless"

// version is that of each manifest of this package, which no connector has.
const version = "0.0.0-learned"

// registry is where the public connectors have their addresses.
const registry = "https://registry.pdpp.dev/connectors/"

// Manifest describes what a device delivers that puts no manifest. It is not safe for concurrent use.
type Manifest struct {
	ConnectorID     string `json:"connector_id"`
	ConnectorKey    string `json:"connector_key"`
	DisplayName     string `json:"display_name"`
	Version         string `json:"version"`
	ProtocolVersion string `json:"protocol_version"`
	// Capabilities has the one of a connector's capabilities that a verdict rests on.
	Capabilities capabilities `json:"capabilities,omitzero"`
	Streams      []Stream     `json:"streams"`
	// Drift are the fields whose type changed, the latest change last.
	Drift []Drift `json:"x_drift,omitempty"`
}

type capabilities struct {
	RefreshPolicy refreshPolicy `json:"refresh_policy"`
}

type refreshPolicy struct {
	RecommendedMode         string `json:"recommended_mode"`
	Rationale               string `json:"rationale"`
	MaximumStalenessSeconds int64  `json:"maximum_staleness_seconds"`
}

// agesIn says from which age on the data is old.
func (m *Manifest) agesIn(seconds int64) {
	m.Capabilities.RefreshPolicy = refreshPolicy{"manual", "A device collects it.", seconds}
}

// staleAfter is the age, in seconds, from which the data of a device is old if no manifest says so. The public connectors say
// between an hour and two days, which suits a program that always runs, and no computer that is off for a weekend.
const staleAfter = 7 * 24 * 60 * 60

// agesAs takes the age from which the data is old from a manifest, if that says it.
func (m *Manifest) agesAs(other *abi.Manifest) {
	if p := other.Capabilities.RefreshPolicy; p != nil && p.MaximumStalenessSeconds != nil && *p.MaximumStalenessSeconds > 0 {
		m.agesIn(*p.MaximumStalenessSeconds)
	}
}

// Stream is a stream as far as it is known. No stream has to be delivered.
type Stream struct {
	Name             string   `json:"name"`
	Description      string   `json:"description,omitempty"`
	Semantics        string   `json:"semantics"`
	PrimaryKey       []string `json:"primary_key"`
	ConsentTimeField string   `json:"consent_time_field,omitempty"`
	Required         bool     `json:"required"`
	// Guessed says that the key is what the records seem to have, and that no record had it yet.
	Guessed bool   `json:"x_guessed,omitempty"`
	Schema  schema `json:"schema"`
}

// schema describes the members of a stream's records that were seen. Their types are all that were ever seen.
type schema struct {
	Type       string            `json:"type"`
	Properties map[string]member `json:"properties"`
	Required   []string          `json:"required"` // the fields of the key
}

type member struct {
	Types []string `json:"type,omitempty"` // sorted; empty for a member that no record had yet
}

// New returns the manifest of a connector of which no record was seen: its streams are those of the table and of the
// connector that is installed here, nil if none is.
func New(connector string, installed *abi.Manifest) *Manifest {
	key := abi.CanonicalKey(connector)
	known := facts()[key]
	m := &Manifest{
		ConnectorID: registry + key, ConnectorKey: connector, DisplayName: known.name, Version: version,
		ProtocolVersion: manifest.ProtocolVersion, Streams: slices.Clone(known.streams),
	}
	if m.DisplayName == "" {
		m.DisplayName = connector
	}
	if known.aging {
		m.agesIn(staleAfter)
	}
	if installed != nil {
		m.agesAs(installed)
		m.ConnectorID, m.DisplayName = installed.ConnectorID, installed.DisplayName
		for i := range installed.Streams {
			m.describe(&installed.Streams[i])
		}
	}
	for i := range m.Streams {
		m.Streams[i].bind()
	}
	return m
}

// describe adds what the connector that is installed says of a stream. The key and the times of the table stay.
func (m *Manifest) describe(s *abi.Stream) {
	if at := m.find(s.Name); at >= 0 {
		m.Streams[at].Description = s.Description
		return
	}
	if len(m.Streams) < maxStreams {
		m.Streams = append(m.Streams, Stream{
			Name: s.Name, Description: s.Description, Semantics: s.Semantics, PrimaryKey: s.PrimaryKey, ConsentTimeField: s.ConsentTimeField,
		})
	}
}

// bind has the schema declare and require the fields of the key, and declare the field with the time of consent.
func (s *Stream) bind() {
	if s.Schema.Properties == nil {
		s.Schema.Properties = map[string]member{}
	}
	s.Schema.Type, s.Schema.Required = "object", s.PrimaryKey
	for _, field := range append(slices.Clone(s.PrimaryKey), s.ConsentTimeField) {
		if _, known := s.Schema.Properties[field]; !known && field != "" {
			s.Schema.Properties[field] = member{}
		}
	}
}

// Read returns the manifest that raw is the text of; nil if it is that of a connector.
func Read(raw []byte) *Manifest {
	m := new(Manifest)
	if json.Unmarshal(raw, m) != nil || m.Version != version {
		return nil
	}
	if m.Capabilities == (capabilities{}) && facts()[abi.CanonicalKey(m.ConnectorKey)].aging { // it was learned before the table said so
		m.agesIn(staleAfter)
	}
	return m
}

// Text returns the manifest as JSON. That of equal manifests is equal.
func (m *Manifest) Text() ([]byte, error) { return json.Marshal(m) }

func (m *Manifest) find(stream string) int {
	return slices.IndexFunc(m.Streams, func(s Stream) bool { return s.Name == stream })
}
