package contract

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/run"
)

func (s *suite) resume(ctx context.Context, whole *store, _ map[string][]string) error {
	res, err := whole.play(ctx, run.Request{})
	if err != nil {
		s.report.set("resume.accepts", Fail, err.Error())
		return nil
	}
	if !s.report.judge("resume.accepts", succeeded(res)) {
		return nil
	}
	if len(whole.committed) == 0 {
		s.report.set("resume.quiet", Skip, "the connector keeps no cursor")
		return nil
	}
	var loud []string
	for _, st := range s.manifest.Streams {
		c := res.Records[st.Name]
		if st.Incremental && c.Upserted+c.Unchanged+c.Deleted+c.Rejected > 0 {
			loud = append(loud, fmt.Sprintf("%s %d", st.Name, c.Upserted+c.Unchanged+c.Deleted+c.Rejected))
		}
	}
	if len(loud) > 0 {
		s.report.set("resume.quiet", Fail, fmt.Sprintf("records of incremental streams came again: %v", loud))
		return nil
	}
	s.report.set("resume.quiet", Pass, "")
	return nil
}

func (s *suite) refresh(ctx context.Context, whole *store, stored map[string][]string) error {
	res, err := whole.play(ctx, run.Request{Mode: abi.ModeFullRefresh})
	if err == nil {
		err = succeeded(res)
	}
	if err == nil {
		for name, keys := range stored {
			c := res.Records[name]
			if got := c.Unchanged + c.Changed; got < int64(len(keys)) {
				err = fmt.Errorf("stream %s: %d of %d records came again", name, got, len(keys))
			}
		}
	}
	s.report.judge("refresh.repeats", err)
	return nil
}

func (s *suite) oneStream(ctx context.Context, _ *store, stored map[string][]string) error {
	if len(s.manifest.Streams) < 2 || len(stored) == 0 {
		s.report.set("scope.streams", Skip, "fewer than two streams have records here")
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(stored)) {
		err := s.fresh(ctx, run.Request{Streams: []string{name}}, func(res *run.Result, st *store) error {
			if err := succeeded(res); err != nil {
				return fmt.Errorf("with stream %s alone: %w", name, err)
			}
			keys, err := st.keys(ctx)
			if err == nil && len(keys[name]) != len(stored[name]) {
				err = fmt.Errorf("stream %s alone delivers %d records, with the others %d", name, len(keys[name]), len(stored[name]))
			}
			return err
		})
		if !s.report.judge("scope.streams", err) {
			return nil
		}
	}
	return nil
}

func (s *suite) oneKey(ctx context.Context, _ *store, stored map[string][]string) error {
	for i := range s.manifest.Streams {
		st := &s.manifest.Streams[i]
		keys := stored[st.Name]
		if !st.Selection.Resources || len(keys) < 2 {
			continue
		}
		key := keys[len(keys)/2]
		err := s.fresh(ctx, run.Request{Streams: []string{st.Name}, Resources: map[string][]string{st.Name: {key}}},
			func(res *run.Result, kept *store) error {
				if err := succeeded(res); err != nil {
					return fmt.Errorf("stream %s with one key: %w", st.Name, err)
				}
				got, err := kept.keys(ctx)
				if err == nil && !slices.Equal(got[st.Name], []string{key}) {
					err = fmt.Errorf("stream %s with one key delivers %d records", st.Name, len(got[st.Name]))
				}
				return err
			})
		s.report.judge("scope.resources", err)
		return nil
	}
	s.report.set("scope.resources", Skip, "no stream that selects by key has two records here")
	return nil
}

// stop cancels a run as soon as it has begun. What counts is that the guest
// wound up by itself: it was not killed, and left a readable end.
func (s *suite) stop(ctx context.Context, _ *store, _ map[string][]string) error {
	st, err := s.newStore(ctx, s.Engine)
	if err != nil {
		return err
	}
	defer st.close()
	cancelled, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var once sync.Once
	st.deps.Observe = func(run.Update) { once.Do(func() { cancel(run.ErrInterrupted) }) }
	res, err := st.play(cancelled, run.Request{})
	switch {
	case err != nil:
		s.report.set("stop.complies", Fail, err.Error())
	case res.Status == run.StatusSucceeded:
		s.report.set("stop.complies", Skip, "the run was over before it could be stopped")
	case res.Reason == string(abi.ReasonOwnerCancelForced):
		s.report.set("stop.complies", Fail, "the guest went on after calls returned 1, and was killed")
	default:
		s.report.set("stop.complies", Pass, "")
	}
	return nil
}

func (s *suite) isolation(ctx context.Context, _ *store, stored map[string][]string) error {
	if s.Second == nil {
		s.report.set("isolation.same", Skip, "there is no second isolation mode here")
		return nil
	}
	st, err := s.newStore(ctx, s.Second)
	if err != nil {
		return err
	}
	defer st.close()
	res, err := st.play(ctx, run.Request{})
	if err == nil {
		err = succeeded(res)
	}
	if err == nil {
		var keys map[string][]string
		if keys, err = st.keys(ctx); err == nil && !maps.EqualFunc(keys, stored, slices.Equal) {
			err = errors.New("the two modes deliver different records")
		}
	}
	s.report.judge("isolation.same", err)
	return nil
}

// fresh makes one run over an empty store and hands over how it went.
func (s *suite) fresh(ctx context.Context, req run.Request, then func(*run.Result, *store) error) error {
	st, err := s.newStore(ctx, s.Engine)
	if err != nil {
		return err
	}
	defer st.close()
	res, err := st.play(ctx, req)
	if err != nil {
		return err
	}
	return then(res, st)
}

func succeeded(res *run.Result) error {
	if res.Status == run.StatusSucceeded {
		return nil
	}
	if res.Error != nil {
		return fmt.Errorf("the run %s: %s [%s]", res.Status, res.Error.Message, res.Error.Code)
	}
	return fmt.Errorf("the run %s: %s", res.Status, res.Reason)
}

// limit bounds each run of the suite.
const limit = 10 * time.Minute
