package index

import (
	"context"
	"io"
	"time"

	"github.com/pdpp-host/pdpp-host/host/read/plan"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Indexer keeps the read state of one store. It is safe for concurrent use.
type Indexer struct {
	Plans *plan.Cache
	// Kept is how long it is known what has changed since a moment; 0: for ever.
	Kept time.Duration

	store  *storage.Store
	random io.Reader     // of the key of hashes
	hash   *plan.Hasher  // nil: its key was not asked for yet
	turn   chan struct{} // one takes a step at a time
	known  map[int64]*plan.Plan
	last   int64         // the store's last change at the last step
	time   time.Duration // of this step's transaction
	many   int           // records that the next step reads: not many more than one transaction takes
	ways   int           // steps that followed the changes
	clean  time.Time     // when every stream was last found made by its declaration
	pruned time.Time     // when old changes were last removed
}

// New returns an indexer.
func New(store *storage.Store, random io.Reader) *Indexer {
	x := &Indexer{Plans: plan.NewCache(store), store: store, random: random, turn: make(chan struct{}, 1), many: storage.MostReadEntries, known: map[int64]*plan.Plan{}}
	x.turn <- struct{}{}
	return x
}

// hashKey names the key of hashes of fields in the store.
const hashKey = "field_hash"

// Hasher returns the hasher of a store. Its key is made when there is none.
func Hasher(ctx context.Context, store *storage.Store, random io.Reader) (*plan.Hasher, error) {
	key, err := store.ServerKey(ctx, hashKey, random)
	if err != nil {
		return nil, err
	}
	return plan.NewHasher(key), nil
}

// stepped says what a step did.
type stepped struct {
	more bool // another step may find something to do
	busy bool // somebody has written records since the step before
}

// A transaction of the index lasts about as long as this: shorter where somebody writes records,
// who waits for it.
const (
	stepBusy = 20 * time.Millisecond
	stepIdle = 200 * time.Millisecond

	moreEntries = 100 // records that a step reads beyond half as many again as the last one took
)

// lookAgain is how long streams whose declarations were found unchanged are not looked at:
// there may be tens of thousands.
const lookAgain = 2 * time.Second

// step brings the read state one transaction further: by the next changes, or, where it has
// all of them, by the streams that have to be made anew, of those named; nil: of all.
func (x *Indexer) step(ctx context.Context, streams []int64) (stepped, error) {
	select {
	case <-x.turn:
		defer func() { x.turn <- struct{}{} }()
	case <-ctx.Done():
		return stepped{}, ctx.Err()
	}
	at, err := x.store.Position(ctx)
	if err != nil {
		return stepped{}, err
	}
	busy, calm := at.Last != x.last, at.Last-x.last < calmly
	x.last, x.time = at.Last, stepIdle
	if busy {
		x.time = stepBusy
	}
	more := true
	switch {
	case at.Top() > at.Last: // an older copy of the records was put back
		clear(x.known)
		err = x.store.ResetRead(ctx)
	case at.Indexed < at.Last:
		err = x.follow(ctx, at, calm)
	case streams == nil && time.Since(x.clean) < lookAgain: // elapsed time, not the wall clock
		more = false
	default:
		more, err = x.renew(ctx, streams)
	}
	return stepped{more, busy}, err
}

// Where more changes than these wait, the newest of them come first.
const (
	backlog = 10_000
	calmly  = 500 // a step that finds no more than these written begins there
	turns   = 4   // one step of so many is at the oldest changes
)

// way chooses which changes are next: those that are written now and the newest of the others, which
// are asked for most, and in between the oldest, so that a stream that changed long ago waits for
// those of no other.
func (x *Indexer) way(at *storage.ReadPosition, calm bool) storage.ReadWay {
	x.ways++
	switch fresh := at.Last - at.Top(); {
	case calm && fresh > backlog && len(at.Ahead) < storage.MostReadAhead:
		return storage.ReadBegun
	case len(at.Ahead) == 0:
		return storage.ReadNewest
	case x.ways%turns == 0:
		return storage.ReadOldest
	case fresh > 0 && x.ways%2 == 0:
		return storage.ReadNewest
	}
	return storage.ReadBefore
}

// follow applies the next changes.
func (x *Indexer) follow(ctx context.Context, at storage.ReadPosition, calm bool) error {
	way := x.way(&at, calm)
	changes, err := x.store.ChangesOf(ctx, &at, way, x.many)
	if err != nil {
		return err
	}
	if err := x.learn(ctx, changes); err != nil {
		return err
	}
	return x.apply(ctx, storage.ReadWalk{From: at, Way: way, End: len(changes) < x.many}, changes)
}

// learn makes the plans of the streams that have changes and are met for the first time.
func (x *Indexer) learn(ctx context.Context, changes []storage.ReadChange) error {
	var ids []int64
	for i := range changes {
		if id := changes[i].StreamID; x.known[id] == nil {
			x.known[id] = nothing
			ids = append(ids, id)
		}
	}
	if ids == nil {
		return nil
	}
	streams, err := x.store.ReadStreams(ctx, storage.ReadStreams{IDs: ids})
	if err != nil {
		clear(x.known)
		return err
	}
	var fresh []storage.ReadDeclared
	for i := range streams {
		s := &streams[i]
		p, err := x.Plans.Of(ctx, s)
		if err != nil {
			clear(x.known)
			return err
		}
		x.known[s.ID] = p
		if s.Declaration != p.Hash {
			// The index of a stream with another declaration is made anew; a stream without one has no index yet.
			fresh = append(fresh, storage.ReadDeclared{StreamID: s.ID, Module: s.Module, Declaration: p.Hash, Anew: s.Declaration != ""})
		}
	}
	if fresh == nil {
		return nil
	}
	return x.store.Declare(ctx, fresh)
}

// nothing is the plan of a stream that is gone.
var nothing = plan.Of(nil, "")

func (x *Indexer) apply(ctx context.Context, w storage.ReadWalk, changes []storage.ReadChange) error {
	if x.hash == nil {
		var err error
		if x.hash, err = Hasher(ctx, x.store, x.random); err != nil {
			return err
		}
	}
	entries := make([]storage.ReadEntry, len(changes))
	for i := range changes {
		entries[i] = x.known[changes[i].StreamID].Entry(&changes[i], x.hash)
	}
	w.Time = x.time
	n, stale, err := x.store.Apply(ctx, w, entries)
	if stale {
		clear(x.known)
	}
	if n > 0 {
		x.many = min(n+n/2+moreEntries, storage.MostReadEntries)
	}
	return err
}

// renew looks for streams whose declaration is not the one that they were made by, and makes
// a part of one of them anew.
func (x *Indexer) renew(ctx context.Context, streams []int64) (more bool, err error) {
	unfit, err := x.store.ReadStreams(ctx, storage.ReadStreams{Unfit: true, IDs: streams})
	if err != nil || len(unfit) == 0 {
		if err == nil && streams == nil {
			x.clean = time.Now()
		}
		return false, err
	}
	var declared []storage.ReadDeclared
	for i := range unfit {
		s := &unfit[i]
		p, err := x.Plans.Of(ctx, s)
		if err != nil {
			return false, err
		}
		if s.Declaration != p.Hash || s.IndexedModule != s.Module {
			declared = append(declared, storage.ReadDeclared{StreamID: s.ID, Module: s.Module, Declaration: p.Hash, Anew: s.Declaration != "" && s.Declaration != p.Hash})
		}
		x.known[s.ID] = p
	}
	if declared != nil {
		return true, x.store.Declare(ctx, declared)
	}
	s := &unfit[0]
	records, err := x.store.RecordsAfter(ctx, s.ID, s.After, x.many)
	if err != nil {
		return false, err
	}
	w := storage.ReadWalk{StreamID: s.ID, After: s.After, End: len(records) < x.many}
	return true, x.apply(ctx, w, records)
}
