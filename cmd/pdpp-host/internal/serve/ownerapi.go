package serve

import (
	"context"
	"net/http"

	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/api/ownerapi"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/live"
	"github.com/pdpp-host/pdpp-host/host/owner/serving"
)

// pathEvents is where the console's pages watch what changes.
const pathEvents = "/events"

// ownRuns begins and stops the runs of a server, as the API asks for them.
type ownRuns struct{ server *serving.Server }

func (r ownRuns) Start(ctx context.Context, by owner.Actor, o ownerapi.Order) (string, error) {
	return r.server.Start(ctx, by, serving.Order{Connection: o.Connection, Mode: o.Mode, Force: o.Force, AcceptFolder: o.AcceptFolder})
}

func (r ownRuns) Stop(ctx context.Context, by owner.Actor, runID string) error {
	return r.server.Stop(ctx, by, runID)
}

// openAPI puts the owner's API beside the pages, with what shows it, and the events that both
// of them are told.
func (i *intake) openAPI(ctx context.Context, s *session.Session, server *serving.Server, mux *http.ServeMux) error {
	source, err := live.OpenSource(ctx, server.Owner)
	if err != nil {
		return err
	}
	i.live = live.New(source, server.Now, server.Logger)
	a := ownerapi.New(ownerapi.Deps{
		Guard: i.guard, Runs: ownRuns{server}, Live: i.live, Random: server.Random, Logger: server.Logger, Version: s.Version,
	})
	refuse := (&site.Site{Guard: i.guard, Now: server.Now, Logger: server.Logger, Version: s.Version}).Refuse
	mux.Handle(ownerapi.Prefix+"/", a)
	mux.Handle(ownerapi.PathDocument, a)
	mux.Handle(ownerapi.PathReference, i.guard.Handler(a.Signed(a.Reference()), refuse))
	mux.Handle(pathEvents, i.guard.Handler(a.SessionEvents(), refuse))
	return nil
}
