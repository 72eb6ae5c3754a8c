package grant

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/read"
)

// documentVersion is the one version of documents that is written and read.
const documentVersion = "0.1.0"

// Document is a grant as it is kept: it never changes, and its hash is kept beside it (RD-33).
type Document struct {
	Version            string          `json:"version"`
	GrantID            string          `json:"grant_id"`
	IssuedAt           time.Time       `json:"issued_at"`
	Subject            SubjectID       `json:"subject"`
	Client             DocumentClient  `json:"client"`
	Source             Source          `json:"source"`
	Declaration        DocumentVersion `json:"source_declaration"`
	PurposeCode        string          `json:"purpose_code"`
	PurposeDescription string          `json:"purpose_description,omitempty"`
	AccessMode         string          `json:"access_mode"`
	Streams            []Stream        `json:"streams"`
	SelectionPreset    string          `json:"selection_preset,omitempty"` // that Streams came of
	Retention          *Retention      `json:"retention,omitempty"`
	ExpiresAt          *time.Time      `json:"expires_at"`
}

// DocumentClient is the client of a grant.
type DocumentClient struct {
	ID      string `json:"client_id"`
	Display string `json:"client_display,omitempty"`
}

// DocumentVersion names the declaration of a grant.
type DocumentVersion struct {
	Version string `json:"version"`
}

// Grant makes the document of an approved review, and its text.
func (r *Review) Grant(id string, at time.Time) (*Document, []byte, error) {
	if r.AITrainingConsented != nil && !*r.AITrainingConsented {
		return nil, nil, wrongChoice("the app wants to train models, and that is not allowed by itself", "tick it as well, or refuse the request")
	}
	d := &Document{
		Version: documentVersion, GrantID: id, IssuedAt: at.UTC().Truncate(time.Second), Subject: r.Subject,
		Client: DocumentClient{r.Client.ID, value(r.Client.Display)}, Source: r.Source, Declaration: DocumentVersion{r.Declaration.Version},
		PurposeCode: r.PurposeCode, PurposeDescription: value(r.PurposeDescription), AccessMode: r.AccessMode, Streams: r.Streams,
		SelectionPreset: value(r.SelectionPreset), Retention: r.Retention, ExpiresAt: r.ExpiresAt,
	}
	text, err := json.Marshal(d)
	return d, text, err
}

// Granted is what a grant gives, as authorization details say it (RFC 9396, section 7).
type Granted struct {
	Type        string   `json:"type"`
	Source      Source   `json:"source"`
	PurposeCode string   `json:"purpose_code"`
	AccessMode  string   `json:"access_mode"`
	Streams     []Stream `json:"streams"`
}

// Granted returns it.
func (d *Document) Granted() []Granted {
	return []Granted{{Type, d.Source, d.PurposeCode, d.AccessMode, d.Streams}}
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Hash is the SHA-256 in hex by which the store knows a document, a manifest or a secret.
func Hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// errDocument refuses a document that is not what was approved.
var errDocument = abi.NewError(CodeInvalid, "the grant is damaged", "revoke it, and have the app ask again")

// ReadDocument reads the text of a document that has that hash, or returns read.grant_invalid.
func ReadDocument(text []byte, hash string) (*Document, error) {
	d := new(Document)
	if Hash(text) != hash {
		return nil, errDocument
	}
	if err := json.Unmarshal(text, d, json.RejectUnknownMembers(true)); err != nil || d.Version != documentVersion {
		return nil, errDocument.Wrap(errors.New("another form"))
	}
	for i := range d.Streams {
		s := &d.Streams[i]
		if t := s.TimeConstraint; s.Name == "" || len(s.Fields) == 0 || t != nil && (t.Field == "" || !written(t.Since) || !written(t.Until)) {
			return nil, errDocument
		}
	}
	return d, nil
}

// Scope is what the grant shows: streams, connections, fields, records and time of the
// document, whatever a newer manifest says (RD-34.1).
func (d *Document) Scope() *read.Scope {
	s := &read.Scope{Grant: d.GrantID, Streams: make([]read.StreamScope, len(d.Streams))}
	for i := range d.Streams {
		from := &d.Streams[i]
		to := read.StreamScope{Name: from.Name, Connections: from.InstanceIDs, Fields: from.Fields, Keys: from.Resources}
		if t := from.TimeConstraint; t != nil {
			to.Time = &read.TimeBound{Field: t.Field, Since: t.Since, Until: t.Until}
		}
		s.Streams[i] = to
	}
	return s
}
