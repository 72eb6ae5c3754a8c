package index

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// CodeBehind is the code of a read for which the index was too far behind.
const CodeBehind abi.Code = "read.index_behind"

// Ready returns the streams that load finds once all that is in the store of them now is
// indexed, and works at that for as long as wait, 0: as it takes. After that it is
// read.index_behind, with the streams as they are (RD-14.2, RD-16.6). at is how far the index was before they were loaded:
// no change up to it is missing from them.
func (x *Indexer) Ready(ctx context.Context, wait time.Duration, load func(context.Context) ([]storage.ReadStream, error)) (streams []storage.ReadStream, at storage.ReadPosition, err error) {
	began := time.Now() // elapsed time, not the wall clock
	need := int64(-1)
	for {
		if at, err = x.store.Position(ctx); err != nil {
			return nil, at, err
		}
		if streams, err = load(ctx); err != nil {
			return nil, at, err
		}
		unfit, last := []int64{}, int64(0)
		for i := range streams {
			s := &streams[i]
			if _, err := x.Plans.Of(ctx, s); err != nil { // first: the index is held against the module that is accepted by now
				return nil, at, err
			}
			if !s.Fit() && s.LastSeq > 0 {
				unfit = append(unfit, s.ID)
			}
			last = max(last, s.LastSeq)
		}
		if need < 0 {
			need = last
		}
		if len(unfit) == 0 && at.Indexed >= need && at.Top() <= at.Last {
			return streams, at, nil
		}
		if wait > 0 && time.Since(began) > wait {
			return streams, at, Behind()
		}
		if _, err := x.step(ctx, unfit); err != nil {
			return nil, at, err
		}
	}
}

// Left is what is not indexed yet.
type Left struct {
	Changes int64
	Anew    bool // a stream is still being made anew
}

// Any reports whether anything is.
func (l Left) Any() bool { return l.Changes > 0 || l.Anew }

// All is Ready for every stream of the store, and returns what is left when the wait is over.
func (x *Indexer) All(ctx context.Context, wait time.Duration) (Left, error) {
	began := time.Now() // elapsed time, not the wall clock
	first, err := x.store.Position(ctx)
	if err != nil {
		return Left{}, err
	}
	for {
		did, err := x.step(ctx, nil)
		if err != nil {
			return Left{}, err
		}
		at, err := x.store.Position(ctx)
		if err != nil || !did.more && at.Indexed >= first.Last {
			return Left{}, err
		}
		if wait > 0 && time.Since(began) > wait {
			return Left{at.Missing(), did.more}, nil
		}
	}
}

// Reach indexes until every change up to one is in the read state, for as long as wait.
func (x *Indexer) Reach(ctx context.Context, wait time.Duration, seq int64) error {
	began := time.Now() // elapsed time, not the wall clock
	for {
		at, err := x.store.Position(ctx)
		if err != nil || at.Has(seq) || at.Last < seq {
			return err
		}
		if wait > 0 && time.Since(began) > wait {
			return Behind()
		}
		if _, err := x.step(ctx, []int64{}); err != nil {
			return err
		}
	}
}

// Behind is the refusal of a read whose records are not indexed yet.
func Behind() error {
	return abi.NewError(CodeBehind, "what was collected is not indexed yet", "try again in a moment: it goes on from where it is")
}

// A server looks for changes this often, and after a failure waits longer.
const (
	lookEvery   = 250 * time.Millisecond
	afterFailed = 5 * time.Second
	restAtMost  = 50 * time.Millisecond
	pruneEvery  = time.Hour
	pruneAtOnce = 1000
)

// Run indexes what is written until ctx ends. While records come in it leaves half of the
// time to them. failed is told of what went wrong; Run goes on.
func (x *Indexer) Run(ctx context.Context, failed func(error)) {
	watch, err := x.store.Watch(ctx)
	if err != nil {
		failed(err)
		return
	}
	defer func() { _ = watch.Close() }()
	for {
		err := x.drain(ctx)
		if err == nil {
			err = x.prune(ctx)
		}
		for err == nil && ctx.Err() == nil {
			var changed bool
			if rest(ctx, lookEvery); ctx.Err() != nil {
				return
			}
			if changed, err = watch.Changed(ctx); changed {
				break
			}
		}
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			failed(err)
			rest(ctx, afterFailed)
		}
	}
}

// prune removes what only tokens need that are too old by now.
func (x *Indexer) prune(ctx context.Context) error {
	if !x.pruned.IsZero() && time.Since(x.pruned) < pruneEvery { // elapsed time, not the wall clock
		return nil
	}
	for more := x.Kept > 0; more; {
		var err error
		if more, err = x.store.PrunePast(ctx, x.Kept, pruneAtOnce); err != nil {
			return err
		}
	}
	x.pruned = time.Now()
	return nil
}

// drain takes steps until there is nothing left to do.
func (x *Indexer) drain(ctx context.Context) error {
	for {
		began := time.Now() // elapsed time, not the wall clock
		did, err := x.step(ctx, nil)
		if err != nil || !did.more {
			return err
		}
		if did.busy {
			rest(ctx, min(time.Since(began), restAtMost))
		}
	}
}

// rest waits, unless ctx ends before.
func rest(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
