package serve

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"path"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/api/metrics"
	"github.com/pdpp-host/pdpp-host/host/api/oauth"
	"github.com/pdpp-host/pdpp-host/host/api/ownerapi"
	"github.com/pdpp-host/pdpp-host/host/api/probe"
	"github.com/pdpp-host/pdpp-host/host/console"
	"github.com/pdpp-host/pdpp-host/host/console/questions"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/serving"
	"github.com/pdpp-host/pdpp-host/host/send/egress"
	"github.com/pdpp-host/pdpp-host/host/web"
	"github.com/pdpp-host/pdpp-host/host/web/listen"
)

// guardOf returns what stands before the owner's faces on an open address.
func guardOf(s *serving.Server, l net.Listener, at listen.Options) *web.Guard {
	g := &web.Guard{As: s.Asks, Origin: s.Config.Origin(), BehindProxy: at.BehindProxy}
	if a, ok := l.Addr().(*net.TCPAddr); ok {
		port := a.AddrPort()
		g.Listening = netip.AddrPortFrom(port.Addr().Unmap(), port.Port())
	}
	return g
}

// openFaces puts the owner's faces and the probes beside what devices deliver, and tells the
// owner of a host that nobody has claimed how it is done (OC-03).
func (i *intake) openFaces(ctx context.Context, s *session.Session, server *serving.Server) error {
	if i == nil {
		return nil
	}
	if err := server.ReachedAt(ctx, i.origin()); err != nil {
		return err
	}
	pages := &site.Site{
		Guard: i.guard, Now: server.Now, Logger: server.Logger, Version: s.Version, Server: server,
		Asked: questions.Asked, Waiting: questions.Waiting,
	}
	mux := http.NewServeMux()
	devices := i.guard.Named(i.handler)
	mux.Handle(device.Prefix+"/", devices)
	mux.Handle(device.Prefix, devices) // else it is redirected
	pagesFace := console.New(pages)
	mux.Handle("/", pagesFace)
	readers, err := i.openAPI(ctx, pages, server, mux)
	if err != nil {
		return err
	}
	hasOwner := func(ctx context.Context) (bool, error) { return access.Claimed(ctx, server.Asks(owner.Actor{})) }
	programs := oauth.New(oauth.Deps{
		Claimed: hasOwner,
		Guard:   i.guard, Desk: i.desk, Now: server.Now, Random: server.Random, Logger: server.Logger, NoRegistration: server.Config.NoRegistration(),
		Introspects: func(ctx context.Context, id, secret string) (bool, error) {
			return access.Introspects(ctx, i.guard.As(owner.Actor{Face: owner.App}), id, secret)
		},
		RevokeAsOwner: ownerapi.RevokeByToken(i.guard.As),
		Document: func(ctx context.Context, address string) ([]byte, error) {
			return egress.ReadDocument(ctx, address, egress.Options{})
		},
		Witness: func(ctx context.Context, address, operation, subject string) context.Context {
			return i.guard.As(owner.Actor{Face: owner.App, Address: address}).Witness(ctx, operation, subject)
		},
	})
	for _, at := range oauth.Paths() {
		mux.Handle(at, programs)
	}
	mux.Handle(oauth.PathIndex, programs.Index(pagesFace))
	figures := metrics.New(metrics.Deps{
		Guard: i.guard, Vitals: server.Vitals, Watching: i.live.Watching, Devices: i.devices.Activity,
		Claimed: hasOwner, Now: server.Now, Logger: server.Logger, Version: s.Version,
	})
	mux.Handle(metrics.Path, web.Confined(figures))
	probes := i.guard.Named(probe.Handler(func() (fault string, checks []probe.Check) {
		for _, c := range server.Ready() {
			checks = append(checks, probe.Check(c))
		}
		return server.RefusesRuns(), checks
	}, http.NotFoundHandler()))
	mux.Handle(probe.PathAlive, probes)
	mux.Handle(probe.PathReady, probes)
	i.handler = figures.Timed(i.guard.Door(spelled(mux, readers)))
	claimed, err := access.Claimed(ctx, server.Owner)
	if err != nil {
		return err
	}
	if claimed {
		fmt.Fprintln(s.Err, "the console is at "+i.origin()+"/")
		return nil
	}
	link, err := access.OfferLink(ctx, server.Owner)
	switch code := abi.CodeOf(err); {
	case code == abi.CodeStoreFull || code == abi.CodeStoreUnavailable:
		fmt.Fprintln(s.Err, "the console is at "+i.origin()+"/; this host has no owner yet, and none can be kept until the store takes writes:")
		fmt.Fprintln(s.Err, "  then `pdpp-host owner reset` prints the link to choose a password or a passkey")
		return nil
	case err != nil:
		return err
	}
	fmt.Fprintln(s.Err, "choose your password or passkey, until "+output.Timestamp(link.ExpiresAt)+", at")
	fmt.Fprintln(s.Err, "  "+site.SetUpAddress(i.origin(), link.Code))
	return nil
}

// origin is what the owner's browser reaches the host at.
func (i *intake) origin() string {
	g := i.guard
	if g.Origin != "" {
		return g.Origin
	}
	return web.OriginAt(g.Listening.Addr().String(), strconv.Itoa(int(g.Listening.Port())), i.secure)
}

// spelled has paths in another spelling than their own refused as those that lead nowhere. The
// multiplexer would redirect them, whatever name the host was asked by (RD-01.2).
func spelled(mux, refuse http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent := r.URL.EscapedPath()
		if plain := path.Clean(sent); sent != plain && sent != strings.TrimSuffix(plain, "/")+"/" {
			refuse.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
