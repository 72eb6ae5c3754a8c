package doctor

import (
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
)

// Outcomes of a check.
const (
	Healthy = "ok"
	Notice  = "notice"  // worth knowing; nothing has to be done
	Broken  = "problem" // something does not work until it is put right
)

// Finding is one thing that a check found.
type Finding struct {
	Check   string `json:"check"`
	Outcome string `json:"outcome"`
	Message string `json:"message"`
	Code    string `json:"code,omitempty"`
	Hint    string `json:"hint,omitempty"`

	Health *Health `json:"-"` // nil: it is about no connection's health
}

// Health is how a connection is.
type Health struct {
	Verdict    view.Brief
	Connection string
	Connector  string
	Feeds      []owner.Feed // the devices that feed it; none: this host runs it
	Unaccepted bool         // its owner has accepted no module yet
}

// findings collects what the checks found.
type findings struct{ all []Finding }

func (f *findings) ok(check, message string) { f.add(check, Healthy, message, "") }

func (f *findings) add(check, outcome, message, hint string) {
	f.all = append(f.all, Finding{Check: check, Outcome: outcome, Message: message, Hint: hint})
}

func (f *findings) fail(check string, err error) {
	p := words.ProblemOf(err)
	f.broken(check, p.Message, p.Code, p.Hint)
}

func (f *findings) broken(check, message, code, hint string) {
	f.all = append(f.all, Finding{Check: check, Outcome: Broken, Message: message, Code: code, Hint: hint})
}
