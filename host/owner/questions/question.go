package questions

import (
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/interact"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/storage"
)

// The longest texts of a guest that are shown, in characters.
const (
	mostQuoted = 1000
	mostLabel  = 200
)

// The host's standing warnings (OC-18.4).
const (
	warnRead = "The connector reads your answer. Type no password here; the password of this host is never asked for in a question."
	warnKept = "pdpp-host keeps your answer, encrypted; the connector does not see it. The password of this host is never asked for in a question."
)

// Question is what a run asks its owner, as every face may show it.
type Question struct {
	ID         string     `json:"id"`
	Connection string     `json:"connection"`
	Connector  string     `json:"connector"`
	RunID      string     `json:"run_id"`
	Kind       string     `json:"kind"` // an interaction's
	Stream     string     `json:"stream,omitempty"`
	Quote      string     `json:"quote"`   // the connector's words, to be shown as a quotation
	Warning    string     `json:"warning"` // the host's, to be shown with the fields
	Keeps      bool       `json:"keeps"`   // the answer is stored as credentials, and the connector does not see it
	Fields     []Field    `json:"fields"`
	State      string     `json:"state"`                // open, answered, declined, timed_out, lost
	ClosedBy   string     `json:"closed_by,omitempty"`  // the face that answered or declined
	AskedAt    time.Time  `json:"asked_at"`             //
	Deadline   *time.Time `json:"deadline"`             // null: it waits as long as its run may go on
	ClosedAt   *time.Time `json:"closed_at"`            // null: it is open
	Unreadable bool       `json:"unreadable,omitempty"` // nothing says what it asks for: it can be declined
}

// Field is one answer of a question.
type Field struct {
	Name     string   `json:"name"`  // "": it is only confirmed
	Label    string   `json:"label"` // the connector's words, unless Code
	Code     bool     `json:"code"`  // a one-time code
	Secret   bool     `json:"secret"`
	Required bool     `json:"required"`
	Choices  []string `json:"choices,omitempty"`
	Most     int      `json:"most,omitempty"` // characters; 0: no bound of its own
}

// Waits reports whether the run waits for an answer.
func (q *Question) Waits() bool { return q.State == storage.QuestionOpen }

func shown(q *storage.Question) Question {
	fields, err := fieldsOf(q)
	out := Question{
		ID: q.ID, Connection: q.Connection, Connector: q.Connector, RunID: q.RunID, Kind: q.Kind, Stream: q.Stream,
		Quote: quoted(q.Message, mostQuoted), Warning: warnRead, Keeps: keeps(q), Fields: make([]Field, len(fields)),
		State: q.State, ClosedBy: q.ClosedBy, AskedAt: q.AskedAt, Deadline: owner.Moment(q.Deadline), ClosedAt: owner.Moment(q.ClosedAt), Unreadable: err != nil,
	}
	if out.Keeps {
		out.Warning = warnKept
	}
	for i, f := range fields {
		out.Fields[i] = Field{
			Name: f.Name, Label: quoted(f.Label, mostLabel), Code: f.Most > 0, Secret: f.Secret, Required: f.Required, Choices: f.Choices, Most: f.Most,
		}
	}
	return out
}

// fieldsOf returns what a question asks for.
func fieldsOf(q *storage.Question) ([]interact.Field, error) {
	return interact.FieldsOf(abi.Interaction{Kind: q.Kind, Schema: abi.Raw(q.Schema)})
}

// keeps reports whether the answer is credentials.
func keeps(q *storage.Question) bool {
	return q.Kind == abi.InteractionCredentials || q.Kind == abi.InteractionMissingCredentials
}

func quoted(text string, most int) string { return words.Cut(words.Clean(text), most) }
