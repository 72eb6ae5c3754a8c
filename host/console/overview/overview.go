package overview

import (
	"net/http"
	"net/url"
	"time"

	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

const (
	pageSize = 50 // connections on a page
	mostDo   = 20 // things to do that are named
	days     = 30 // that a row's bars show
)

// Register adds the pages of this room.
func Register(s *site.Site, mux *http.ServeMux) {
	mux.Handle("GET /{$}", s.Signed(show))
	mux.Handle("GET /overview/needs", s.Signed(showNeeds))
	mux.Handle("GET /connections/{name}/row", s.Signed(showRow))
}

// overview is what the page shows.
type overview struct {
	*owner.Fleet

	needs  needs
	rows   []row
	choice owner.Choice
	after  string // which the page begins behind
}

// needs are the things to do.
type needs struct {
	fleet   *owner.Fleet
	needing []owner.ConnectionStatus
	asked   []ui.Question
	now     time.Time
	proof   string
}

// row is one connection.
type row struct {
	owner.ConnectionStatus

	days ui.Days
	now  time.Time
}

func show(v *site.Visit) error {
	q := v.R.URL.Query()
	choice := owner.Choice{Name: ui.Bounded(q.Get("name"), mostTyped), Tone: toneOf(q.Get("state"))}
	after := ui.Bounded(q.Get("after"), mostTyped)
	fleet, err := v.Owner.FleetChosen(v.Context(), choice, after, pageSize)
	if err != nil {
		return err
	}
	o := overview{Fleet: fleet, choice: choice, after: after}
	if o.needs, err = needsOf(v, fleet); err != nil {
		return err
	}
	if o.rows, err = rowsOf(v, fleet.Connections); err != nil {
		return err
	}
	return v.Show(http.StatusOK, words.OverviewTitle, ui.Overview, page(&o))
}

// showNeeds answers with the things to do alone, which a script puts in place of the old.
func showNeeds(v *site.Visit) error {
	fleet, err := v.Owner.FleetChosen(v.Context(), owner.Choice{}, "", 1)
	if err != nil {
		return err
	}
	n, err := needsOf(v, fleet)
	if err != nil {
		return err
	}
	return v.Part(needsPart(&n))
}

func showRow(v *site.Visit) error {
	s, err := v.Owner.StatusOf(v.Context(), v.R.PathValue("name"))
	if err != nil {
		return err
	}
	rows, err := rowsOf(v, []owner.ConnectionStatus{*s})
	if err != nil {
		return err
	}
	return v.Part(rowPart(&rows[0]))
}

func needsOf(v *site.Visit, f *owner.Fleet) (needs, error) {
	n := needs{fleet: f, now: v.Now(), proof: v.Proof()}
	var err error
	if v.Asked != nil {
		if n.asked, err = v.Asked(v.Context(), v.Owner, ""); err != nil {
			return n, err
		}
	}
	n.needing, err = v.Owner.NeedsOwner(v.Context(), mostDo)
	return n, err
}

func rowsOf(v *site.Visit, all []owner.ConnectionStatus) ([]row, error) {
	ids := make([]string, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	now := v.Now()
	counted, err := v.Owner.RunDays(v.Context(), ids, now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-days))
	byID := map[string][]owner.RunDay{}
	for _, d := range counted {
		byID[d.ConnectionID] = append(byID[d.ConnectionID], d)
	}
	rows := make([]row, len(all))
	for i := range all {
		rows[i] = row{all[i], ui.DaysOf(byID[all[i].ID], now, days), now}
	}
	return rows, err
}

// tones are the pills that a filter offers.
var tones = []verdict.Tone{verdict.Red, verdict.Amber, verdict.Grey, verdict.Green}

func toneOf(text string) verdict.Tone {
	for _, t := range tones {
		if string(t) == text {
			return t
		}
	}
	return ""
}

// mostTyped bounds what is looked for, in bytes.
const mostTyped = 200

// next is the address of the page behind this one.
func (o *overview) next() string {
	q := url.Values{"after": {o.Next}}
	if o.choice.Name != "" {
		q.Set("name", o.choice.Name)
	}
	if o.choice.Tone != "" {
		q.Set("state", string(o.choice.Tone))
	}
	return "/?" + q.Encode()
}

func (o *overview) filtered() bool { return o.choice != owner.Choice{} || o.after != "" }
