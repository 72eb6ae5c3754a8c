package serve

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/a-h/templ"

	"github.com/pdpp-host/pdpp-host/host/api/mcp"
	"github.com/pdpp-host/pdpp-host/host/api/oauth"
	"github.com/pdpp-host/pdpp-host/host/api/ownerapi"
	"github.com/pdpp-host/pdpp-host/host/api/records"
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/live"
	"github.com/pdpp-host/pdpp-host/host/owner/serving"
	"github.com/pdpp-host/pdpp-host/host/read"
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
// of them are told. It returns what answers readers.
func (i *intake) openAPI(ctx context.Context, pages *site.Site, server *serving.Server, mux *http.ServeMux) (*records.Server, error) {
	source, err := live.OpenSource(ctx, server.Owner)
	if err != nil {
		return nil, err
	}
	i.live = live.New(source, server.Now, server.Logger)
	a := ownerapi.New(ownerapi.Deps{
		Guard: i.guard, Runs: ownRuns{server}, Live: i.live, Random: server.Random, Logger: server.Logger, Version: pages.Version,
		Client: i.desk.Knows, Others: slices.Concat(records.Routes(), oauth.Routes(), []wire.Route{mcp.Route()}),
	})
	mux.Handle(ownerapi.Prefix+"/", a)
	for _, path := range ownerapi.Elsewhere {
		mux.Handle(path, a)
	}
	callers := read.AnyOf(i.desk, records.OwnerTokens(i.guard.As)) // apps read the most
	readers := records.New(records.Deps{
		Guard: i.guard, Callers: callers, Now: server.Now, Random: server.Random, Logger: server.Logger, Metadata: oauth.PathResource, Knows: i.desk.Knows, Disclose: i.ledger.Note, Spent: i.ledger.Spent,
		Reader: func(ctx context.Context) (*read.Reader, error) {
			return i.guard.As(owner.Actor{Face: owner.APIToken}).Reader(ctx)
		},
		Tell: func(ctx context.Context, ids []string) ([]owner.Told, error) {
			return i.guard.As(owner.Actor{Face: owner.APIToken}).Tell(ctx, ids)
		},
	})
	mux.Handle(records.Prefix, readers)
	mux.Handle(strings.TrimSuffix(records.Prefix, "/"), readers) // else it is redirected
	mux.Handle(mcp.Path, mcp.NewHandler(mcp.Options{Version: pages.Version, Logger: server.Logger}, readers, oauth.PathResourceMCP))
	mux.Handle(ownerapi.PathReference, i.guard.Handler(pages.Signed(reference(a)), pages.Refuse))
	mux.Handle(pathEvents, i.guard.Handler(a.SessionEvents(), pages.Refuse))
	return readers, nil
}

// reference shows the API's table of routes in the frame of the console's pages.
func reference(a *ownerapi.API) func(*site.Visit) error {
	body := sync.OnceValues(a.Reference)
	return func(v *site.Visit) error {
		text, err := body()
		if err != nil {
			return err
		}
		return v.Show(http.StatusOK, words.ReferenceTitle, ui.Settings, templ.Raw(text))
	}
}
