package serving

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/storage"
)

// showsEvery is how often a server looks whether a store takes writes again.
const showsEvery = 5 * time.Second

// errTakesWrites ends a server that only shows its store: it may take writes by now.
var errTakesWrites = errors.New("the store may take writes again")

// takes returns the right to serve. A store without writes cannot give it: the server then goes on
// without, begins no run, and has the right as soon as it can be written, unless somebody else
// is seen to serve.
func (s *Server) takes(ctx context.Context) (*right, error) {
	why := s.shows
	if why == nil {
		l, err := take(ctx, s.store, s.Now(), s.room)
		if !storage.RefusesWrites(err) {
			return l, err
		}
		if served, rerr := s.Served(ctx); rerr != nil || served {
			return nil, errors.Join(err, rerr)
		}
		s.Logger.Error("the store takes no writes: no run begins until it does", "code", abi.CodeOf(err), "error", err)
		why = err
	}
	return untaken(s.store, s.room, why), nil
}

// show has the pages show a store that takes no writes, until it may take them or ctx ends. Meanwhile
// it is remembered what would have run.
func (s *Server) show(ctx context.Context, beside func(ctx context.Context, work func(context.Context) error) error) error {
	s.Logger.Error("the store takes no writes: it is shown as it is, and nothing runs until it does", "code", abi.CodeOf(s.shows), "error", s.shows)
	return beside(ctx, func(ctx context.Context) error {
		passing, stop := context.WithCancel(ctx)
		var passes sync.WaitGroup
		passes.Go(func() { _ = s.scheduler().Run(passing) }) // it starts nothing that could be waited for
		defer passes.Wait()
		defer stop()
		look := time.NewTicker(showsEvery)
		defer look.Stop()
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-look.C:
			}
			if s.TakesWrites() {
				return errTakesWrites
			}
		}
	})
}

// settle ends, once, the runs and the questions of hosts that are gone. While the store takes no
// writes that is put off.
func (s *Server) settle(ctx context.Context) error {
	if s.settled {
		return nil
	}
	ctx = context.WithoutCancel(ctx) // stopped by now, it still ends well
	_, err := s.store.LoseRuns(ctx, holder.Alive)
	if err == nil {
		_, err = s.store.LoseQuestions(ctx, holder.Alive)
	}
	if storage.RefusesWrites(err) {
		return nil
	}
	s.settled = err == nil
	return err
}
