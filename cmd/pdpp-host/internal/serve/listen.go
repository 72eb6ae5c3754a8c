package serve

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/host/api"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/host/owner/live"
	"github.com/pdpp-host/pdpp-host/host/owner/serving"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/web"
	"github.com/pdpp-host/pdpp-host/host/web/listen"
)

// listenFlags say where devices deliver to. They go before the configuration's.
type listenFlags struct {
	address, cert, key string
	behindProxy        bool
}

func (f *listenFlags) define(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.address, "listen", "", "listen on this `host:port` (default serve.listen; port 0: a free one; none: listen nowhere)")
	cmd.Flags().StringVar(&f.cert, "tls-cert", "", "PEM `file` of the certificate to listen with")
	cmd.Flags().StringVar(&f.key, "tls-key", "", "PEM `file` of its key")
	cmd.Flags().BoolVar(&f.behindProxy, "behind-proxy", false, "other machines reach the address through a proxy alone, which ends TLS")
}

// check refuses what cannot be meant: a pass that ends listens to nobody.
func (f *listenFlags) check(once bool) error {
	set := f.address != "" || f.cert != "" || f.key != "" || f.behindProxy
	if once && set {
		return syntax.Usage("--once and --listen exclude each other: a pass ends, and devices deliver when they can", "leave one of them out")
	}
	return nil
}

// intake is the open address; nil when there is none.
type intake struct {
	listener net.Listener
	handler  http.Handler // of what devices deliver; faces puts the others before it
	devices  *api.API
	desk     *desk.Desk // where programs ask for grants
	guard    *web.Guard
	secure   bool // it speaks TLS itself
	logger   *slog.Logger
	live     *live.Hub // nil: none
	ledger   *desk.Ledger
}

// openIntake opens the address that the flags or the configuration name. None is
// chosen by the word none: such a host is reached by nobody.
func openIntake(ctx context.Context, s *serving.Server, f listenFlags) (*intake, error) {
	store, err := s.Store(ctx)
	if err != nil {
		return nil, err
	}
	c := s.Config
	at := listen.Options{Address: c.Listen(), Cert: c.TLSCert(), Key: c.TLSKey(), BehindProxy: c.BehindProxy() || f.behindProxy}
	switch f.address {
	case "":
	case config.ListenNowhere:
		at.Address = ""
	default:
		at.Address = f.address
	}
	if f.cert != "" || f.key != "" {
		at.Cert, at.Key = f.cert, f.key
	}
	if at.Address == "" {
		if f.cert != "" || f.key != "" {
			return nil, syntax.Usage("--tls-cert and --tls-key are of an address, and none is named", "name it with --listen or "+config.KeyListen)
		}
		return nil, nil
	}
	l, err := listen.Open(ctx, at)
	if err != nil {
		return nil, err
	}
	s.Logger.Info("listening", "address", l.Addr().String(), "tls", at.Cert != "")
	guard := guardOf(s, l, at)
	devices := api.New(api.Deps{Store: store, Now: s.Now, Random: s.Random, Logger: s.Logger, Installed: s.Installed, From: guard.From})
	return &intake{listener: l, logger: s.Logger, guard: guard, secure: at.Cert != "", handler: devices, devices: devices, desk: &desk.Desk{Store: store, Now: s.Now, Random: s.Random}, ledger: &desk.Ledger{Store: store, Logger: s.Logger}}, nil
}

// during answers whoever asks while work goes on. When it cannot go on,
// work is stopped, so that whoever watches over the server starts it again.
func (i *intake) during(ctx context.Context, work func(context.Context) error) error {
	if i == nil {
		return work(ctx)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ended := make(chan error, 1)
	watched := make(chan error, 1)
	go func() { watched <- i.live.Run(ctx) }()
	kept := make(chan struct{})
	counting, stopCounting := context.WithCancel(context.WithoutCancel(ctx))
	defer stopCounting()
	go func() { defer close(kept); i.ledger.Run(counting) }()
	go func() {
		err := api.Serve(ctx, i.listener, i.handler, i.logger)
		if err != nil {
			stop(run.ErrInterrupted)
		}
		ended <- err
	}()
	err := work(ctx)
	stop(nil)
	failed := <-ended
	stopCounting() // nobody is answered any more
	<-kept
	err = errors.Join(err, <-watched)
	if failed != nil && errors.Is(err, run.ErrInterrupted) {
		return failed
	}
	return errors.Join(failed, err)
}
