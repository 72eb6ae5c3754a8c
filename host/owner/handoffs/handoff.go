package handoffs

import (
	"time"

	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
)

// mostTitle is the longest title of a page that is shown, in characters: it is the site's.
const mostTitle = 100

// Handoff is a page that a run has handed over, as every face may show it.
type Handoff struct {
	ID           string    `json:"id"` // of the question that it belongs to
	ConnectionID string    `json:"connection_id"`
	Connection   string    `json:"connection"`
	RunID        string    `json:"run_id"`
	Reason       string    `json:"reason"` // login, two_factor, captcha, consent, other
	Host         string    `json:"host"`   // of the page that is shown; "": it has none
	Page         int       `json:"page"`
	Pages        []Page    `json:"pages"`
	Refused      []string  `json:"refused_hosts"` // that the owner may allow
	Deadline     time.Time `json:"deadline"`
	Watched      bool      `json:"watched"`           // somebody looks on
	Outcome      string    `json:"outcome,omitempty"` // done, cancelled, timed_out, lost; "": it goes on
}

// Page is one page of a run's browser.
type Page struct {
	Number int    `json:"page"`
	Host   string `json:"host"`
	Title  string `json:"title"` // the site's words
}

// Goes reports whether the page can still be opened.
func (h *Handoff) Goes() bool { return h.Outcome == "" }

func shown(s *handoff.Shown) Handoff {
	out := Handoff{
		ID: s.ID, ConnectionID: s.ConnectionID, Connection: s.Connection, RunID: s.RunID, Reason: s.Reason, Host: words.Clean(s.Host),
		Page: s.Page, Pages: make([]Page, len(s.Pages)), Refused: make([]string, len(s.Refused)), Deadline: s.Deadline, Watched: s.Watched, Outcome: s.Outcome,
	}
	for i, p := range s.Pages {
		out.Pages[i] = Page{p.Number, words.Clean(p.Host), words.Cut(words.Clean(p.Title), mostTitle)}
	}
	for i, host := range s.Refused {
		out.Refused[i] = words.Clean(host)
	}
	return out
}
