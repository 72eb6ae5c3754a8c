package serving

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/pdpp-host/pdpp-host/host/owner/disk"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/host/send/traffic"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Vitals are figures of a server, of the time since it began where nothing else is said. They
// name nobody and nothing that was collected.
type Vitals struct {
	Runs    map[string]int64 // by outcome: succeeded, failed, cancelled, refused
	Running int              // now

	Appended, Stateful run.StreamUpdate // records of streams that only grow, and of the others

	Passes   int64     // of the scheduler
	LastPass time.Time // zero: there was none
	Checks   []Check   // see Ready

	Store     storage.Activity
	Unindexed int64 // changes that readers do not find yet

	Questions        int // that wait for an answer
	Channels         int // ways to the owner
	FailingChannels  int
	Providers        []traffic.Counts
	Workers          int
	WorkerBytes      int64 // resident; 0 where the system does not say
	HostBytes        int64 // resident; 0 as above
	FreeBytes        uint64
	FreeBytesUnknown bool
}

// Vitals returns the figures of now. It is safe for concurrent use.
func (s *Server) Vitals(ctx context.Context) (*Vitals, error) {
	v := &Vitals{Checks: s.Ready(), Store: s.store.Activity(), Providers: s.Traffic.Counts(), Running: s.lives.running()}
	s.tally.mu.Lock()
	v.Runs, v.Passes, v.Appended, v.Stateful = maps.Clone(s.tally.outcomes), s.tally.passes, s.tally.stored[0], s.tally.stored[1]
	s.tally.mu.Unlock()
	if at := s.right.pass.Load(); at != nil {
		v.LastPass = *at
	}
	at, err := s.store.Position(ctx)
	v.Unindexed = at.Missing()
	open, qerr := s.store.Questions(ctx, storage.QuestionQuery{Open: true}, holder.Alive)
	v.Questions = len(open)
	channels, cerr := s.store.Channels(ctx)
	v.Channels = len(channels)
	for i := range channels {
		if channels[i].Failures > 0 {
			v.FailingChannels++
		}
	}
	v.Workers, v.WorkerBytes = s.engine.Workers()
	v.HostBytes, _ = plugin.Resident()
	free, known := disk.Free(s.Config.DataDir())
	v.FreeBytes, v.FreeBytesUnknown = free, !known
	return v, errors.Join(err, qerr, cerr)
}
