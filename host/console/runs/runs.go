package runs

import (
	"net/http"
	"time"

	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

const (
	pageSize   = 50
	mostEvents = 200 // of a run, that its page lists
	mostGaps   = 100
)

// Register adds the pages of this room.
func Register(s *site.Site, mux *http.ServeMux) {
	mux.Handle("GET /runs", s.Signed(list))
	mux.Handle("GET /runs/{id}", s.Signed(show))
	mux.Handle("GET /runs/{id}/part", s.Signed(showPart))
	mux.Handle("POST /runs/{id}/stop", s.Signed(stop))
}

func list(v *site.Visit) error {
	connection := v.R.URL.Query().Get("connection")
	all, err := v.Owner.Runs(v.Context(), connection, pageSize)
	if err != nil {
		return err
	}
	return v.Show(http.StatusOK, words.RunsTitle, ui.Runs, listPage(all, connection, v.Now()))
}

// shown is everything that the page of a run shows.
type shown struct {
	*owner.Run

	live         *live // nil: this process does not make it
	asked        []ui.Question
	destinations []destination
	chart        ui.Chart
	leftOut      []leftOut
	now          time.Time
	proof        string
}

func show(v *site.Visit) error {
	r, err := read(v)
	if err != nil {
		return err
	}
	return v.Show(http.StatusOK, words.RunOf+" "+r.Connection, ui.Runs, page(r))
}

// showPart answers with the page's changing part, which a script puts in place of the old.
func showPart(v *site.Visit) error {
	r, err := read(v)
	if err != nil {
		return err
	}
	return v.Part(part(r))
}

func read(v *site.Visit) (*shown, error) {
	run, err := v.Owner.Run(v.Context(), v.R.PathValue("id"))
	if err != nil {
		return nil, err
	}
	r := &shown{Run: run, now: v.Now(), proof: v.Proof(), chart: chartOf(run), leftOut: leftOutOf(run)}
	if run.Status == owner.StatusRunning {
		if u := v.Server.Progress(run.RunID); u != nil {
			r.live = liveOf(u)
		}
		if v.Asked != nil {
			if r.asked, err = v.Asked(v.Context(), v.Owner, run.RunID); err != nil {
				return nil, err
			}
		}
	}
	if run.Connection == "" || run.Status == owner.StatusRunning {
		return r, nil // it is gone, or what it reached is shown at its end
	}
	conn, err := v.Owner.Connection(v.Context(), run.Connection)
	if err != nil {
		return nil, err
	}
	for _, d := range conn.Destinations {
		r.destinations = append(r.destinations, destination{d.Host, d.Requests, d.BytesOut, d.BytesIn})
	}
	return r, nil
}

func stop(v *site.Visit) error {
	id := v.R.PathValue("id")
	if err := v.Server.Stop(v.Context(), v.Owner.Actor, id); err != nil {
		return err
	}
	return v.Done(ui.RunPath(id), words.RunStopping)
}
