package serving

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/storage"
)

// How long a server is taken for one that lives after it was last heard of, and
// how often it is heard of. One on this machine that was killed is seen at once.
const (
	servingTTL   = time.Minute
	servingEvery = 15 * time.Second
)

// passWithin is how long a scheduler may go without a pass, which it makes every
// minute, before it is not said to serve any more.
const passWithin = 5 * time.Minute

// right is this process's right to schedule a data folder.
type right struct {
	store  *storage.Store
	holder string
	// room makes room on a disk for which err says that it is full, and reports whether it did.
	room   func(err error) bool
	pass   atomic.Pointer[time.Time] // the last one; nil: none is to be made
	held   atomic.Pointer[time.Time] // when it was last renewed
	failed atomic.Bool               // the last renewal was not written
	why    error                     // why it could not be taken when the server began, or nil if it was
	at     atomic.Pointer[string]    // what a browser reaches the server at, which the store is still to keep; nil: nothing
}

// heard reports whether the right was renewed within the time that it lasts, and the store
// took the last renewal.
func (l *right) heard(now time.Time) bool {
	last := l.held.Load()
	return last != nil && now.Sub(*last) < servingTTL && !l.failed.Load()
}

// passed keeps that the scheduler has made a pass.
func (l *right) passed(now time.Time) { l.pass.Store(&now) }

// stuck reports whether the scheduler lives and does nothing.
func (l *right) stuck(now time.Time) bool {
	last := l.pass.Load()
	return last != nil && now.Sub(*last) > passWithin
}

// take returns serve.already_running while another process serves.
func take(ctx context.Context, store *storage.Store, now time.Time, room func(error) bool) (*right, error) {
	l := &right{store: store, holder: holder.Self(), room: room}
	other, err := l.hold(ctx, now)
	if err != nil {
		return nil, err
	}
	if other != nil {
		return nil, abi.NewError(schedule.CodeServing, "another pdpp-host serves this data folder",
			"stop it first, or leave it to it; `pdpp-host run` works beside it").
			WithDetail("since " + other.Since.Format(time.RFC3339) + ", " + holder.Process(other.Holder))
	}
	return l, nil
}

// untaken is a right that could not be taken so far.
func untaken(store *storage.Store, room func(error) bool, why error) *right {
	l := &right{store: store, holder: holder.Self(), room: room, why: why}
	l.failed.Store(true)
	return l
}

// missing returns why the right could not be taken so far; nil: it was taken.
func (l *right) missing() error {
	if l.held.Load() != nil {
		return nil
	}
	return l.why
}

// hold takes the right or renews it, on a full disk with the room that was reserved: the pages
// that say what is wrong need it. It returns the server that has the right instead.
func (l *right) hold(ctx context.Context, now time.Time) (*storage.Server, error) {
	other, err := l.store.Serve(ctx, l.holder, servingTTL, holder.Alive)
	if l.room != nil && l.room(err) {
		other, err = l.store.Serve(ctx, l.holder, servingTTL, holder.Alive)
	}
	l.failed.Store(err != nil)
	if err == nil && other == nil {
		l.held.Store(&now)
		err = l.tellWhere(ctx)
	}
	return other, err
}

// tellWhere keeps in the store what a browser reaches the server at, once.
func (l *right) tellWhere(ctx context.Context) error {
	at := l.at.Load()
	if at == nil {
		return nil
	}
	err := l.store.ServesAt(ctx, l.holder, *at)
	if err == nil {
		l.at.CompareAndSwap(at, nil)
	}
	return err
}

// ReachedAt keeps what a browser reaches the server at, so that `owner reset` leads there and to
// nobody else. A store that takes no writes is told later.
func (s *Server) ReachedAt(ctx context.Context, origin string) error {
	s.right.at.Store(&origin)
	if s.right.held.Load() == nil {
		return nil
	}
	if err := s.right.tellWhere(ctx); !storage.RefusesWrites(err) {
		return err
	}
	return nil
}

// hold holds on to the right, unless the scheduler is stuck: then the right runs out,
// which is how everybody sees it (HL-28), and another server may take it.
func (l *right) renew(ctx context.Context, now time.Time) (other *storage.Server, err error) {
	if !l.stuck(now) {
		return l.hold(ctx, now)
	}
	other, err = l.store.Serving(ctx)
	if err != nil || other == nil || other.Holder == l.holder {
		return nil, err
	}
	return other, nil
}

// during holds on to the right while work goes on. Work that ends because the right was lost
// is reported as that alone.
func (s *Server) during(ctx context.Context, work func(context.Context) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	kept := make(chan error, 1)
	go func() { kept <- s.right.keepRenewing(ctx, s.Now, s.Logger, stop) }()
	err := work(ctx)
	stop(nil)
	lost := <-kept
	if lost != nil && errors.Is(err, run.ErrInterrupted) {
		return lost
	}
	return errors.Join(lost, err)
}

// keepRenewing holds on to the right until ctx ends. When another process has taken it,
// which it may once this one was not heard of for servingTTL, it stops all that
// runs and returns serve.taken_over. A store that fails is tried again: runs
// hold leases of their own.
func (l *right) keepRenewing(ctx context.Context, now func() time.Time, logger *slog.Logger, stop context.CancelCauseFunc) error {
	beat := time.NewTicker(servingEvery)
	defer beat.Stop()
	stuck := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-beat.C:
		}
		if was := stuck; l.stuck(now()) != was {
			if stuck = !was; stuck {
				logger.Error("the scheduler has looked at no connection for " + passWithin.String() + "; it is not said to serve any more")
			}
		}
		switch other, err := l.renew(ctx, now()); {
		case err != nil && ctx.Err() == nil:
			logger.Warn("the right to serve could not be renewed", "code", abi.CodeOf(err))
		case err == nil && other != nil:
			stop(run.ErrInterrupted)
			return abi.NewError(schedule.CodeServingLost, "another pdpp-host has taken this data folder over",
				"this one did not answer for too long, as after the machine slept; nothing is lost").WithDetail("now " + holder.Process(other.Holder))
		}
	}
}

// release gives the right back, so that the next server need not wait. A store that takes no writes
// keeps it until it runs out, or until its process is seen to be gone.
func (l *right) release(ctx context.Context) error {
	if l.held.Load() == nil {
		return nil
	}
	if err := l.store.StopServing(context.WithoutCancel(ctx), l.holder); !storage.RefusesWrites(err) {
		return err
	}
	return nil
}
