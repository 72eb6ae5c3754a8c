package console

import (
	"net/http"

	"github.com/pdpp-host/pdpp-host/host/console/access"
	"github.com/pdpp-host/pdpp-host/host/console/add"
	"github.com/pdpp-host/pdpp-host/host/console/apps"
	"github.com/pdpp-host/pdpp-host/host/console/assets"
	"github.com/pdpp-host/pdpp-host/host/console/audit"
	"github.com/pdpp-host/pdpp-host/host/console/connections"
	"github.com/pdpp-host/pdpp-host/host/console/connectors"
	"github.com/pdpp-host/pdpp-host/host/console/data"
	"github.com/pdpp-host/pdpp-host/host/console/devices"
	"github.com/pdpp-host/pdpp-host/host/console/handoffs"
	"github.com/pdpp-host/pdpp-host/host/console/notifications"
	"github.com/pdpp-host/pdpp-host/host/console/overview"
	"github.com/pdpp-host/pdpp-host/host/console/questions"
	"github.com/pdpp-host/pdpp-host/host/console/runs"
	"github.com/pdpp-host/pdpp-host/host/console/settings"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/web"
)

// rooms add the pages of their nouns.
var rooms = []func(*site.Site, *http.ServeMux){
	access.Register, apps.Register, overview.Register, data.Register, connections.Register, runs.Register, add.Register,
	site.RegisterProof, audit.Register, connectors.Register, devices.Register, settings.Register, questions.Register, notifications.Register, handoffs.Register,
}

// New returns the console as a handler. It is safe for concurrent use.
func New(s *site.Site) http.Handler {
	mux := http.NewServeMux()
	for _, register := range rooms {
		register(s, mux)
	}
	mux.Handle("/", s.Anybody(func(*site.Visit) error { return site.NotFound() }))
	pages := s.Guard.Handler(mux, s.Refuse)
	top := http.NewServeMux()
	top.Handle("GET "+assets.Prefix, s.Guard.Named(web.Confined(assets.Handler())))
	top.Handle("GET "+assets.Worker, s.Guard.Named(web.Confined(assets.Handler())))
	// Browsers ask for it beside what stands in a page.
	top.Handle("GET /favicon.ico", s.Guard.Named(web.Confined(http.RedirectHandler(assets.Path("icon.svg"), http.StatusFound))))
	top.Handle("/", pages)
	return top
}
