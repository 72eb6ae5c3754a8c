package audit

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

const (
	path     = "/audit"
	pageSize = 100
	// longest bounds what a filter takes, in bytes.
	longest = 200
)

// Register adds the pages of this room.
func Register(s *site.Site, mux *http.ServeMux) {
	mux.Handle("GET "+path, s.Signed(show))
}

// filter is what was typed.
type filter struct {
	By, Operation, Connection, Outcome, Since, Until string
	Before                                           int64
}

func show(v *site.Visit) error {
	f := filterOf(v.R.URL.Query())
	q, err := f.query()
	if err != nil {
		return v.Show(http.StatusUnprocessableEntity, words.AuditTitle, ui.Audit, page(f, &owner.AuditEvents{}, v.Now(), err))
	}
	events, err := v.Owner.AuditEvents(v.Context(), q)
	if err != nil {
		return err
	}
	return v.Show(http.StatusOK, words.AuditTitle, ui.Audit, page(f, events, v.Now(), nil))
}

func filterOf(q url.Values) filter {
	get := func(name string) string { return ui.Bounded(q.Get(name), longest) }
	f := filter{By: get("by"), Operation: get("operation"), Connection: get("connection"), Outcome: get("outcome"), Since: get("since"), Until: get("until")}
	f.Before, _ = strconv.ParseInt(get("before"), 10, 64) // anything else is the newest
	f.Before = max(f.Before, 0)
	return f
}

// query is what is asked for. Days are those of UTC, and the last one is whole.
func (f filter) query() (owner.AuditQuery, error) {
	q := owner.AuditQuery{Face: owner.Face(f.By), Operation: f.Operation, Connection: f.Connection, Outcome: f.Outcome, Before: f.Before, Limit: pageSize}
	for _, day := range []struct {
		text string
		at   *time.Time
		plus int
	}{{f.Since, &q.Since, 0}, {f.Until, &q.Until, 1}} {
		if day.text == "" {
			continue
		}
		at, err := time.Parse(time.DateOnly, day.text)
		if err != nil {
			return q, abi.NewError(abi.CodeUsage, words.BadDay, words.BadDayHint)
		}
		*day.at = at.AddDate(0, 0, day.plus)
	}
	return q, nil
}

// older is the address of the next page.
func (f filter) older(before int64) string {
	q := url.Values{"before": {strconv.FormatInt(before, 10)}}
	for name, value := range map[string]string{"by": f.By, "operation": f.Operation, "connection": f.Connection, "outcome": f.Outcome, "since": f.Since, "until": f.Until} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return path + "?" + q.Encode()
}

type choice struct{ value, label string }

var (
	faces    = []choice{{"", words.Anybody}, {string(owner.CommandLine), words.CommandLine}, {string(owner.BrowserSession), words.ABrowser}, {string(owner.APIToken), words.AToken}, {string(owner.App), words.AnApp}}
	outcomes = []choice{{"", words.AnyOutcome}, {"done", words.OutcomeDone}, {"refused", words.OutcomeNot}}
)

// who says by what face an event came.
func who(e *owner.AuditEvent) string {
	for _, f := range faces {
		if f.value == e.Actor {
			return f.label
		}
	}
	return e.Actor
}

func tone(e *owner.AuditEvent) string {
	if e.Outcome == "done" {
		return "pill good"
	}
	return "pill warn"
}
