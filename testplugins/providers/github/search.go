package github

import (
	"net/http"
	"strings"
	"time"
)

// query is the part of the search syntax that is understood here: words with a
// qualifier, ranges by moment or day, both ends included.
type query struct {
	pull, issue      bool
	author           string
	created, updated span
	unknown          string
}

type span struct{ from, to time.Time }

func (s span) holds(t time.Time) bool {
	return (s.from.IsZero() || !t.Before(s.from)) && (s.to.IsZero() || !t.After(s.to))
}

func parseQuery(text string) query {
	var q query
	for word := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(word, ":")
		switch {
		case name == "type" && value == "pr" || name == "is" && value == "pr":
			q.pull = true
		case name == "type" && value == "issue" || name == "is" && value == "issue":
			q.issue = true
		case name == "author":
			q.author = value
		case name == "created":
			q.created = parseSpan(value)
		case name == "updated":
			q.updated = parseSpan(value)
		default:
			q.unknown = word
		}
	}
	return q
}

func parseSpan(value string) span {
	if from, to, ok := strings.Cut(value, ".."); ok {
		return span{moment(from, false), moment(to, true)}
	}
	switch {
	case strings.HasPrefix(value, ">="):
		return span{from: moment(value[2:], false)}
	case strings.HasPrefix(value, "<="):
		return span{to: moment(value[2:], true)}
	case strings.HasPrefix(value, ">"):
		return span{from: moment(value[1:], true).Add(time.Second)}
	case strings.HasPrefix(value, "<"):
		return span{to: moment(value[1:], false).Add(-time.Second)}
	}
	return span{moment(value, false), moment(value, true)}
}

// moment reads a moment, or the first or last second of a day.
func moment(text string, end bool) time.Time {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t
	}
	t, err := time.Parse(time.DateOnly, text)
	if err == nil && end {
		t = t.Add(24*time.Hour - time.Second)
	}
	return t
}

// searchCap is how many results one search gives at most.
const searchCap = 1000

// searchIssues answers /search/issues for pull requests.
func (p *Provider) searchIssues(w http.ResponseWriter, r *http.Request) {
	values := r.URL.Query()
	q := parseQuery(values.Get("q"))
	if q.unknown != "" || q.pull == q.issue {
		problem(w, http.StatusUnprocessableEntity, "Validation Failed")
		return
	}
	if q.author != p.data.User.Login {
		problem(w, http.StatusUnprocessableEntity, "The listed users cannot be searched either because the users do not exist or you do not have permission to view the users.")
		return
	}
	at := func(pull *Pull) time.Time { return pull.CreatedAt }
	if values.Get("sort") == "updated" {
		at = func(pull *Pull) time.Time { return pull.UpdatedAt }
	}
	rows, total := []any{}, 0
	for n, pull := range order(p.data.Pulls, at, func(pull *Pull) int64 { return pull.ID }, values.Get("order") != "asc") {
		if !q.created.holds(pull.CreatedAt) || !q.updated.holds(pull.UpdatedAt) {
			continue
		}
		total++
		if p.incomplete > 0 && n%2 == 1 {
			continue
		}
		if total <= searchCap {
			rows = append(rows, pull.Issue.json(p.origin(r), false))
		}
	}
	items := page(p, w, r, rows)
	answer(w, r, object{"total_count": total, "incomplete_results": p.incomplete > 0, "items": items}, &p.search)
	if p.incomplete > 0 {
		p.incomplete--
	}
}
