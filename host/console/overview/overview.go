package overview

import (
	"net/http"

	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
)

// pageSize is how many connections a page lists.
const pageSize = 50

// Register adds the pages of this room.
func Register(s *site.Site, mux *http.ServeMux) {
	mux.Handle("GET /{$}", s.Signed(show))
}

func show(v *site.Visit) error {
	fleet, err := v.Owner.Fleet(v.Context(), v.R.URL.Query().Get("after"), pageSize)
	if err != nil {
		return err
	}
	return v.Show(http.StatusOK, words.OverviewTitle, ui.Overview, page(fleet))
}
