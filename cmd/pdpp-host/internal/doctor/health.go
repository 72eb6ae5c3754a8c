package doctor

import (
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/show"
	"github.com/pdpp-host/pdpp-host/host/owner/doctor"
)

// wordHealth says of a connection what `status` says of it: what keeps it from being
// collected, and the command for what is to be done.
func wordHealth(s *session.Session, dataDir string, f *doctor.Finding) {
	h := f.Health
	if h.Verdict.Cause != nil {
		f.Message += " Cause: " + show.Cause(dataDir, &h.Verdict)
	}
	f.Message = s.Advice(f.Message)
	if todo, owners := h.Verdict.Primary(); owners {
		f.Hint = todo
		if command := show.Step(&h.Verdict, show.Subject{Connection: h.Connection, Connector: h.Connector, Feeds: h.Feeds, Unaccepted: h.Unaccepted}); command != "" {
			f.Hint += ": " + command
		}
	}
}
