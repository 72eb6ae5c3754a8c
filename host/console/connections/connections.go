package connections

import (
	"net/http"
	"time"

	"github.com/pdpp-host/pdpp-host/health/view"
	panel "github.com/pdpp-host/pdpp-host/host/console/handoffs"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/handoffs"
)

const (
	days     = 90 // that the bars show
	someRuns = 8  // that are listed
)

// Register adds the pages of this room.
func Register(s *site.Site, mux *http.ServeMux) {
	const at = "/connections/{name}"
	mux.Handle("GET "+at, s.Signed(show))
	mux.Handle("GET "+at+"/part", s.Signed(showPart))
	mux.Handle("POST "+at+"/run", s.Signed(start))
	mux.Handle("POST "+at+"/pause", s.Signed(pause))
	mux.Handle("POST "+at+"/resume", s.Signed(resume))
	mux.Handle("POST "+at+"/schedule", s.Signed(reschedule))
	mux.Handle("GET "+at+"/credentials", s.Signed(showCredentials))
	mux.Handle("POST "+at+"/credentials", s.Signed(setCredential))
	mux.Handle("POST "+at+"/credentials/remove", s.Signed(removeCredential))
	mux.Handle("POST "+at+"/sign-out", s.Signed(signOut))
	mux.Handle("GET "+at+"/module", s.Signed(showModule))
	mux.Handle("POST "+at+"/module", s.Signed(acceptModule))
	mux.Handle("GET "+at+"/settings", s.Signed(showSettings))
	mux.Handle("POST "+at+"/settings", s.Signed(changeSettings))
	mux.Handle("GET "+at+"/name", s.Signed(showName))
	mux.Handle("POST "+at+"/name", s.Signed(rename))
	mux.Handle("GET "+at+"/files", s.Signed(showFiles))
	mux.Handle("POST "+at+"/files", s.Signed(decideFiles))
	mux.Handle("GET "+at+"/remove", s.Signed(showRemove))
	mux.Handle("POST "+at+"/revoke", s.Signed(revoke))
	mux.Handle("POST "+at+"/remove", s.Signed(remove))
}

// shown is everything that the page of a connection shows.
type shown struct {
	*owner.Connection

	health  *owner.Health
	brief   view.Brief
	details []view.Line
	backlog string
	cue     *view.BacklogCue // how much is left to catch up with; nil: nothing
	streams []stream
	days    ui.Days
	runs    []*owner.Run
	asked   []ui.Question
	handed  []handoffs.Handoff // pages that wait for the owner
	now     time.Time
	proof   string
}

// stream is one stream: what is kept of it, and what the verdict says of it.
type stream struct {
	Name, Statement       string
	Records               int64
	Collected, Considered *int64
}

func name(v *site.Visit) string { return v.R.PathValue("name") }

func show(v *site.Visit) error {
	c, err := read(v)
	if err != nil {
		return err
	}
	return v.Show(http.StatusOK, c.Name, ui.Overview, page(c))
}

// showPart answers with the page's changing parts, which a script puts in place of the old.
func showPart(v *site.Visit) error {
	c, err := read(v)
	if err != nil {
		return err
	}
	return v.Part(changing(c))
}

func read(v *site.Visit) (*shown, error) {
	ctx := v.Context()
	conn, err := v.Owner.Connection(ctx, name(v))
	if err != nil {
		return nil, err
	}
	c := &shown{Connection: conn, now: v.Now(), proof: v.Proof()}
	if c.health, err = v.Owner.Health(ctx, conn.Name, true); err != nil {
		return nil, err
	}
	rendered := &c.health.Verdict
	c.brief, c.details, c.backlog = view.BriefOf(rendered), view.Details(rendered), view.BacklogScale(rendered)
	c.cue = view.BacklogCueOf(rendered)
	c.streams = streamsOf(c)
	counted, err := v.Owner.RunDays(ctx, []string{conn.ID}, c.now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-days))
	if err != nil {
		return nil, err
	}
	c.days = ui.DaysOf(counted, c.now, days)
	runs, err := v.Owner.Runs(ctx, conn.Name, someRuns)
	if err != nil {
		return nil, err
	}
	c.runs = runs.Runs
	if len(c.runs) > 0 && c.runs[0].Status == owner.StatusRunning && v.Asked != nil {
		if c.asked, err = v.Asked(ctx, v.Owner, c.runs[0].RunID); err != nil {
			return nil, err
		}
	}
	c.handed, err = panel.OfConnection(ctx, v.Owner, conn.ID)
	return c, err
}

// streamsOf puts what is kept of each stream beside what the verdict says of it.
func streamsOf(c *shown) []stream {
	var all []stream
	at := map[string]int{}
	for i := range c.health.Verdict.Streams {
		r := &c.health.Verdict.Streams[i]
		at[r.StreamID] = len(all)
		all = append(all, stream{Name: r.StreamID, Statement: r.Statement, Collected: r.Collected, Considered: r.Considered})
	}
	for _, s := range c.Streams {
		i, known := at[s.Name]
		if !known {
			i = len(all)
			all = append(all, stream{Name: s.Name})
		}
		all[i].Records = s.Records
	}
	return all
}

// running is the run that goes on; nil: none does.
func (c *shown) running() *owner.Run {
	if len(c.runs) > 0 && c.runs[0].Status == owner.StatusRunning {
		return c.runs[0]
	}
	return nil
}

func (c *shown) onDevice() bool { return len(c.Devices) > 0 }
