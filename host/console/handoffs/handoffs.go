package handoffs

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/handoffs"
)

// Register adds the pages of this room.
func Register(s *site.Site, mux *http.ServeMux) {
	mux.Handle("GET /handoffs/{id}", s.Signed(show))
}

// address is the page of a hand-off, question that of what its run asks, and api where its
// script asks.
func address(id string) string  { return "/handoffs/" + url.PathEscape(id) }
func question(id string) string { return "/questions/" + url.PathEscape(id) }
func api(id string) string      { return "/v1/owner/handoffs/" + url.PathEscape(id) }

// Of returns the page that a question waits for; nil: it waits for none.
func Of(ctx context.Context, o *owner.Owner, id string) *handoffs.Handoff {
	h, err := handoffs.Show(ctx, o, id)
	if err != nil || !h.Goes() {
		return nil
	}
	return h
}

// OfConnection returns the pages that runs of a connection have handed over.
func OfConnection(ctx context.Context, o *owner.Owner, id string) ([]handoffs.Handoff, error) {
	all, err := handoffs.List(ctx, o)
	var its []handoffs.Handoff
	for i := range all {
		if all[i].ConnectionID == id {
			its = append(its, all[i])
		}
	}
	return its, err
}

// shown is what the page shows.
type shown struct {
	*handoffs.Handoff

	clear *abi.Error // why nothing may be typed here; nil: it may
	now   time.Time
	proof string
}

func show(v *site.Visit) error {
	h, err := handoffs.Show(v.Context(), v.Owner, v.R.PathValue("id"))
	if abi.CodeOf(err) == handoffs.CodeUnknown {
		return v.To(question(v.R.PathValue("id"))) // which says what became of it
	}
	if err != nil {
		return err
	}
	s := &shown{Handoff: h, now: v.Now(), proof: v.Proof()}
	s.clear = site.Typed(v.Guard.CheckPrivate(v.R))
	return v.Show(http.StatusOK, words.HandoffTitle, ui.Questions, page(s))
}

// host is the site's name, as large as anything on the page.
func host(h *handoffs.Handoff) string {
	if h.Host == "" {
		return words.HandoffNoHost
	}
	return h.Host
}

// said are the notices that the script shows one of, by what happens.
var said = []struct{ when, tone, text string }{
	{"opening", "idle", words.HandoffOpening}, {"again", "warn", words.HandoffAgain}, {"away", "bad", words.HandoffAway},
	{"taken", "warn", words.HandoffTaken}, {"taken_over", "warn", words.HandoffTakenOver}, {"refused", "warn", words.HandoffRefused},
	{"done", "good", words.HandoffDone}, {"cancelled", "idle", words.HandoffCancelled}, {"timed_out", "warn", words.HandoffTimedOut}, {"lost", "bad", words.HandoffLost},
	{"file_chooser", "warn", words.HandoffChooser}, {"dialog", "warn", words.HandoffDialog}, {"popup", "warn", words.HandoffPopup},
}

// sizes are the sizes that a page may have, and what has them.
var sizes = [][2]string{{"1280x720", words.HandoffDesktop}, {"820x1180", words.HandoffTablet}, {"390x844", words.HandoffPhone}}
