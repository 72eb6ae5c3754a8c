package questions

import (
	"net/url"
	"time"

	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner/questions"
)

// listed is what the list shows.
type listed struct {
	open   []ui.Question
	closed []questions.Question
	before string // which the page begins behind
	next   string // of the next page; "": there is none
	now    time.Time
}

func (l *listed) nextPath() string { return path + "?before=" + url.QueryEscape(l.next) }

// typed reports whether a question has a field to be typed or chosen.
func typed(q *questions.Question) bool {
	for i := range q.Fields {
		if q.Fields[i].Name != "" {
			return true
		}
	}
	return false
}

// doing is the label of the button that answers.
func doing(q *questions.Question) string {
	if typed(q) {
		return words.DoAnswer
	}
	return words.ItIsDone
}

// kindOf is the type of the field that a text is typed into.
func kindOf(f *questions.Field) string {
	if f.Secret {
		return "password"
	}
	return "text"
}
