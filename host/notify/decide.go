package notify

import (
	"strings"
	"time"
)

// again is how long after an owner was told of something that lasts they are told again.
const again = 24 * time.Hour

// Episode is something that lasts which an owner is told of.
type Episode struct {
	ConnectionID, Identity string
	BeganAt                time.Time
	SentAt                 time.Time // the owner was last told; zero: not yet
}

// Due reports whether the owner is to be told now, or again. A clock that was put back by
// more than a day counts as well: nobody knows how long it has been.
func (e *Episode) Due(now time.Time) bool {
	return e.SentAt.IsZero() || now.Sub(e.SentAt).Abs() >= again
}

// Question reports whether it is a question's.
func (e *Episode) Question() bool { return strings.HasPrefix(e.Identity, questionPrefix) }

// questionPrefix begins the identity of a question's episode.
const questionPrefix = "question "

// QuestionIdentity is the identity of a question's episode.
func QuestionIdentity(id string) string { return questionPrefix + id }

// Need is something that a connection needs its owner for.
type Need struct {
	Identity    string
	Title, Body string
}

// Seen is a connection that was looked at.
type Seen struct {
	ConnectionID, Connection string
	Needs                    []Need
	Settled                  bool // no run goes on, which would show what is left of its needs
}

// Settings are what the owner wants.
type Settings struct {
	QuietFrom, QuietUntil int // minutes of the day; equal: no hour is quiet
	Zone                  *time.Location
	TellsOver             bool
}

// Quiet reports whether nobody is to be told now.
func (s *Settings) Quiet(now time.Time) bool {
	if s.QuietFrom == s.QuietUntil {
		return false
	}
	t := now.In(s.Zone)
	minute := t.Hour()*60 + t.Minute()
	if s.QuietFrom < s.QuietUntil {
		return minute >= s.QuietFrom && minute < s.QuietUntil
	}
	return minute >= s.QuietFrom || minute < s.QuietUntil
}

// Told is a text for the owner.
type Told struct {
	ConnectionID, Identity string
	Title, Body            string
}

// Decision is what comes of a look.
type Decision struct {
	Kept  []Episode // begun, or told of now
	Over  []Episode
	Texts []Told
}

// Decide says what the owner is told now that some connections were seen: of each episode
// once, and once a day while it lasts; of its end, where the owner wants that and was told of
// its beginning. In quiet hours nobody is told, and what lasts behind them is told then.
func Decide(episodes []Episode, seen []Seen, s *Settings, now time.Time) Decision {
	var d Decision
	quiet := s.Quiet(now)
	known := map[string][]Episode{}
	for _, e := range episodes {
		known[e.ConnectionID] = append(known[e.ConnectionID], e)
	}
	for i := range seen {
		c := &seen[i]
		lasts := map[string]bool{}
		for _, n := range c.Needs {
			lasts[n.Identity] = true
			e, begun := find(known[c.ConnectionID], n.Identity)
			if !begun {
				e = Episode{ConnectionID: c.ConnectionID, Identity: n.Identity, BeganAt: now}
			}
			if tell := !quiet && e.Due(now); tell {
				e.SentAt = now
				d.Texts = append(d.Texts, Told{c.ConnectionID, n.Identity, n.Title, n.Body})
			} else if begun {
				continue
			}
			d.Kept = append(d.Kept, e)
		}
		for _, e := range known[c.ConnectionID] {
			question := e.Question()
			if lasts[e.Identity] || !c.Settled && !question {
				continue
			}
			d.Over = append(d.Over, e)
			if s.TellsOver && !question && !quiet && !e.SentAt.IsZero() {
				title, body := overText(c.Connection)
				d.Texts = append(d.Texts, Told{c.ConnectionID, e.Identity + " over", title, body})
			}
		}
	}
	return d
}

func find(episodes []Episode, identity string) (Episode, bool) {
	for _, e := range episodes {
		if e.Identity == identity {
			return e, true
		}
	}
	return Episode{}, false
}
