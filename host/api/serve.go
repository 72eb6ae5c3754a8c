package api

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/pdpp-host/pdpp-host/host/web/listen"
)

// How long a connection may take. A collector waits 120 s for an answer, so that
// the host gives up before it does.
const (
	headerTime = 10 * time.Second
	bodyTime   = 60 * time.Second // of the largest body: 2.3 Mbit/s
	codeTime   = 10 * time.Second // of a code, by who has no credential
	answerTime = 110 * time.Second
	idleTime   = 60 * time.Second
	// workTime is how long the host works on what it has read.
	workTime = 45 * time.Second
	// windUp is how long requests that run may take to end when the server stops.
	windUp = 10 * time.Second

	maxHeaderBytes = 16 << 10
)

// newServer returns the server of an API. It speaks HTTP/1.1 alone: a collector
// sends one request after another, and one protocol is one to defend.
func newServer(h http.Handler, logger *slog.Logger) *http.Server {
	var only http.Protocols
	only.SetHTTP1(true)
	return &http.Server{
		Handler:           h,
		Protocols:         &only,
		ReadHeaderTimeout: headerTime,
		ReadTimeout:       bodyTime,
		WriteTimeout:      answerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeaderBytes,
		ConnContext:       listen.WithConnection,
		ConnState:         listen.Watch,
		// OPTIONS * is a request like any other: not found.
		DisableGeneralOptionsHandler: true,
		// net/http's messages about broken connections name addresses only.
		ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}
}

// Serve answers on l until ctx ends, which is how serving ends well. Requests that
// run then have a moment to end; what they have not ended by then is as if it had
// not come, and comes again. l is closed.
func Serve(ctx context.Context, l net.Listener, h http.Handler, logger *slog.Logger) error {
	s := newServer(h, logger)
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	s.BaseContext = func(net.Listener) context.Context { return work }
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	select {
	case err := <-ended:
		return errors.Join(listen.Failure(l, err), s.Close())
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), windUp)
	defer cancel()
	err := s.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		stop()
		err = s.Close()
	}
	if failed := <-ended; !errors.Is(failed, http.ErrServerClosed) {
		err = errors.Join(err, failed)
	}
	return err
}
