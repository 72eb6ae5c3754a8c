package serving

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/home"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/owner/notifications"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/host/send/traffic"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Request asks to serve.
type Request struct {
	Workers int                  // how many connections run at a time
	Version string               // of this host
	Report  func(schedule.Event) // told of what happens, from any goroutine
	// Grace is how long running runs may go on to their next checkpoint once the host
	// stops. Those that reach none are ended then; 0: at once.
	Grace time.Duration
}

// Server serves one data folder. It is what the scheduler's ports are made of.
type Server struct {
	*owner.Owner

	store   *storage.Store
	engine  *plugin.Engine
	request Request
	right   *right
	began   time.Time // zero: it does not serve, and only looks
	asks    bool      // its runs may ask their owner, whose answers it waits for
	shows   error     // why the store takes no writes, which is then only shown; nil: it does
	settled bool      // runs and questions of hosts that are gone have ended

	lives      lives
	tally      tally
	describing sync.Mutex // see Installed
}

// Serve takes the right to serve the data folder, hands fn the server and gives the
// right back. While another process serves it returns serve.already_running.
//
// Where the store takes no writes, because its disk is full or its folder read-only, the server
// shows what there is and says what is wrong. fn ends once there is room, and begins anew.
func Serve(ctx context.Context, o *owner.Owner, r Request, fn func(*Server) error) error {
	o.Away = new(owner.TurnedAway)
	for {
		err := serve(ctx, o, r, fn)
		if !errors.Is(err, errTakesWrites) {
			return err
		}
		if err := o.LetGo(); err != nil {
			return err
		}
	}
}

func serve(ctx context.Context, o *owner.Owner, r Request, fn func(*Server) error) error {
	store, refusal := o.Store(ctx)
	if refusal != nil {
		var err error
		if store, err = o.StoreToShow(ctx, refusal); err != nil {
			return err
		}
	}
	s := &Server{Owner: o, store: store, request: r, lives: lives{grace: r.Grace}, shows: refusal}
	right, err := s.takes(ctx)
	if err != nil {
		return err
	}
	s.tellCopy()
	o.Traffic, o.Modules, o.Handoffs = traffic.New(), new(modules.Memory), handoff.New(o.Now, o.Random)
	err = o.Engine(func(engine *plugin.Engine) error {
		s.engine, s.right, s.began = engine, right, o.Now()
		s.lives.tally = &s.tally
		return fn(s)
	})
	return errors.Join(err, right.release(ctx))
}

// tellCopy says where this data folder was copied from, at the first start of the copy: another one that goes
// on to serve collects by itself, and neither sees what the other one has.
func (s *Server) tellCopy() {
	if s.shows != nil || s.Config == nil {
		return
	}
	from, err := home.Settle(s.Config.DataDir(), holder.Machine(), s.Now())
	if from != nil {
		s.Logger.Warn("this data folder is a copy: let only one of the two serve, since each would collect by itself and not see the other",
			"copy_of", from.Said(holder.Machine()), "data_dir", s.Config.DataDir())
	}
	if err != nil {
		s.Logger.Warn("it could not be kept where this data folder is served", "data_dir", s.Config.DataDir(), "error", err.Error())
	}
}

// room gives the reserve of a full disk back, and makes it again once there is room. While
// runs go on it stays: they would use it up.
func (s *Server) room(err error) bool {
	if err == nil {
		s.KeepReserve()
		return false
	}
	return s.lives.running() == 0 && s.GiveBack(err)
}

// Asks returns an owner who asks as that actor, over the server's store and engine. It is
// safe for concurrent use; the owner is for one request.
func (s *Server) Asks(a owner.Actor) *owner.Owner { return s.As(a, s.engine) }

// Once runs what is due now, and says what was done about each connection.
func (s *Server) Once(ctx context.Context) (looked []schedule.Looked, err error) {
	if err := s.right.missing(); err != nil {
		return nil, err
	}
	sched := s.scheduler()
	err = s.during(ctx, func(ctx context.Context) error {
		looked, err = sched.Once(ctx)
		return err
	})
	s.KeepTurnedAway(ctx)
	return looked, err
}

// Until runs connections when they are due until its owner stops it, which is how
// serving ends well, or another process takes the data folder over. Its runs ask their
// owner. Runs of a host that is gone have ended, and what they asked is lost. beside goes on
// while work does, which it calls. Meanwhile its owner is told what needs them.
func (s *Server) Until(ctx context.Context, beside func(ctx context.Context, work func(context.Context) error) error) (Counts, error) {
	if s.shows != nil {
		return Counts{}, s.show(ctx, beside)
	}
	sched := s.scheduler()
	s.asks = true
	if err := s.settle(ctx); err != nil {
		return Counts{}, err
	}
	s.Logger.Info("serving", "data_dir", s.Config.DataDir())
	s.right.passed(s.Now()) // from here on passes are made
	s.PutRight = sched.Wake
	err := s.during(ctx, func(ctx context.Context) error {
		return s.lives.during(ctx, func() error {
			return beside(ctx, func(ctx context.Context) error { return s.alongside(ctx, sched.Run) })
		})
	})
	return s.tally.counts(), err
}

// alongside does work, and for as long what follows the store: it tells owners what needs
// them, and keeps what readers need up with the records.
func (s *Server) alongside(ctx context.Context, work func(context.Context) error) error {
	reader, err := s.Reader(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	following, stop := context.WithCancel(ctx)
	var others sync.WaitGroup
	others.Go(func() { notifications.Watch(following, s.Asks(owner.Actor{})) })
	others.Go(func() {
		reader.Index.Run(following, func(err error) { s.Logger.Warn("records are not indexed", "code", string(abi.CodeOf(err))) })
	})
	err = work(ctx)
	stop()
	others.Wait()
	return err
}

func (s *Server) scheduler() *schedule.Scheduler {
	return schedule.New(schedule.Deps{
		Store: s.store, Policy: s.policy, Pressure: s.pressure, Probes: s.probes, Ready: s.ready, Rests: s.rests, Surroundings: s.surroundings, Run: s.run, OnDevice: s.onDevice, Scarce: s.scarce,
		Refuses: s.refuses, TurnedAway: s.turnedAway,
		HolderAlive: holder.Alive, Now: s.Now, Random: rand.Float64, Report: s.request.Report, Workers: s.request.Workers, Grace: s.request.Grace,
		Passed: func() {
			s.right.passed(s.Now())
			s.tally.passed()
			s.KeepTurnedAway(context.Background())
			if err := s.settle(context.Background()); err != nil {
				s.Logger.Warn("runs of a host that is gone were not ended", "code", abi.CodeOf(err))
			}
		},
	})
}
