package session

import (
	"context"

	"github.com/pdpp-host/pdpp-host/cmd/internal/consent"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Asker asks the owner on this session's terminal.
func (s *Session) Asker() consent.Asker {
	return consent.Asker{Program: program, In: s.In, Err: s.Err, Tilde: s.Tilde}
}

// Consent is the owner's word for a module: given is --accept, which shows the terms
// all the same; else it is asked for on the terminal. Where nobody can be asked it is
// withheld.
func (s *Session) Consent(given bool) owner.Consent {
	switch {
	case given:
		return word{s, nil, true}
	case s.Interactive():
		return s.Asker()
	}
	return word{s, modules.ErrNotAccepted, false}
}

// FirmConsent is Consent for a command that does nothing without the owner's word:
// where nobody can be asked, it shows the terms, and silence is not taken for the word.
// Of a word that was given the command shows the terms itself.
func (s *Session) FirmConsent(given bool) owner.Consent {
	switch {
	case given:
		return word{s, nil, false}
	case s.Interactive():
		return s.Asker()
	}
	return word{s, modules.ErrNobodyAsked, true}
}

// word is the owner's word where nobody is asked.
type word struct {
	s       *Session
	refusal error
	shown   bool // whether the terms are shown
}

// Ask implements owner.Consent.
func (w word) Ask(_ context.Context, t *modules.Terms, items, _ []storage.AcceptedItem) ([]storage.AcceptedItem, error) {
	if w.shown && !w.s.Flags.Quiet {
		consent.Write(w.s.Err, t, w.s.Tilde)
	}
	return items, w.refusal
}
