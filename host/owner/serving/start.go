package serving

import (
	"context"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/questions"
	"github.com/pdpp-host/pdpp-host/host/owner/running"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/schedule"
)

// Order asks for a run of a connection by hand.
type Order struct {
	Connection   string
	Mode         string // abi.ModeIncremental when empty
	Force        bool   // in spite of a cooldown
	AcceptFolder bool   // another folder than before, or an emptied one, is meant
}

// Start begins a run as that actor, and returns its id once it has begun. The run goes on
// when ctx ends; it ends with the server. A run that is refused before it begins is an
// error, as running.Run says it: run.connection_busy where one goes on.
func (s *Server) Start(ctx context.Context, a owner.Actor, order Order) (runID string, err error) {
	as := s.Asks(a)
	_, conn, err := as.Find(ctx, order.Connection)
	if err != nil {
		return "", err
	}
	if s.shows != nil {
		as.TurnAway(ctx, s.store, conn, schedule.Manual, s.shows)
		return "", s.shows
	}
	mode, err := modeOf(order.Mode)
	if err != nil {
		return "", err
	}
	began, ended := make(chan string, 1), make(chan error, 1)
	err = s.lives.byHandIn(func(ctx context.Context) {
		ctx, f := s.lives.follow(ctx)
		defer f.end()
		r := running.Request{Typed: conn.Connector, Request: run.Request{Connection: conn.Name, Mode: mode, Force: order.Force, AcceptRoot: order.AcceptFolder}}
		parked := questions.Park(as, s.store, nil)
		r.Watch = func(*run.Request) running.Watch {
			return running.Watch{Asker: parked, Observe: f.observe, Stopping: f.stopping, Began: func(b run.Began) {
				parked.Began(b)
				f.begin(b)
				began <- b.RunID
			}}
		}
		e, err := running.Run(ctx, as, r)
		switch {
		case err == nil:
			s.tally.add(e.Result)
		case f.began.RunID == "":
			s.tally.refused()
		default:
			s.Logger.Warn("the outcome of a run by hand could not be kept", "run", f.began.RunID, "code", abi.CodeOf(err))
		}
		ended <- err
	})
	if err != nil {
		return "", err
	}
	select {
	case runID = <-began:
		return runID, nil
	case err = <-ended:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	select {
	case runID = <-began: // and it has ended already
		return runID, nil
	default:
		return "", err
	}
}

func modeOf(mode string) (string, error) {
	switch mode {
	case "":
		return abi.ModeIncremental, nil
	case abi.ModeIncremental, abi.ModeFullRefresh:
		return mode, nil
	}
	return "", abi.NewError(abi.CodeUsage, "there is no such way to run", "choose "+abi.ModeIncremental+" or "+abi.ModeFullRefresh)
}

// Update is how far a run is.
type Update = run.Update

// Progress is how far a run is that this process makes; nil for any other. Of one that has
// only just begun there is nothing to say yet.
func (s *Server) Progress(runID string) *Update {
	f := s.lives.find(runID)
	if f == nil {
		return nil
	}
	if u := f.read(); u != nil {
		return u
	}
	return &Update{RunID: runID}
}
