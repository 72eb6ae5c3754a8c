package run

import (
	"context"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/storage"
)

const (
	// observeEvery is how often the progress display is told: OC-15 leaves a record's way
	// from the store to a page 500 ms.
	observeEvery = 250 * time.Millisecond
	// noteEvery bounds how often a PROGRESS becomes an event.
	noteEvery = 5 * time.Second
)

// Update is the state of a run in progress, for a progress display.
type Update struct {
	Connector, Version, RunID, SHA256 string
	Streams                           []StreamUpdate
	Message                           string // of the guest's last PROGRESS
	Count, Total                      int64
	Unit                              string
	Elapsed                           time.Duration
	Final                             bool
	Hosts                             []string // that the run may reach; none without the network
	Secrets                           []string // where each secret may go, as manifest.SecretPlace says it
	Requests                          abi.RequestCounts
	Rate                              *abi.CollectionRate // nil: pacing is off, or the run has no network
	Now                               time.Time
	WaitUntil                         time.Time // when the next request goes; zero or past: no wait
	WaitAsked                         bool      // the provider asked for that wait
}

// Counts are what a run did to the records of a stream.
type Counts = storage.StreamCounts

// StreamUpdate counts one stream's records; all but Rejected are durable.
type StreamUpdate struct {
	Counts

	Name       string
	AppendOnly bool
	Rejected   int64
}

// progress has the guest's last PROGRESS.
type progress struct {
	*journal

	reading sync.Mutex // guards last
	last    abi.Progress
	noted   time.Time // when a PROGRESS last became an event
}

// take keeps a PROGRESS for the display, and now and then as an event.
func (p *progress) take(msg *abi.Progress) error {
	msg.Message, msg.Unit = clip(msg.Message, maxErrorMessage), clip(msg.Unit, maxGapText)
	if len(msg.CollectionRate)+len(msg.ProviderBudget) > maxGapDiagnostics {
		msg.CollectionRate, msg.ProviderBudget = nil, nil
	}
	p.reading.Lock()
	p.last = *msg
	p.reading.Unlock()
	now := p.now()
	if now.Sub(p.noted) < noteEvery {
		return nil
	}
	p.noted = now
	return p.event("run.progress_reported", msg.Stream, msg)
}

func (p *progress) read() abi.Progress {
	p.reading.Lock()
	defer p.reading.Unlock()
	return p.last
}

// show reports progress until ctx ends.
func (r *run) show(ctx context.Context) {
	begin := r.now()
	tick := time.NewTicker(observeEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			r.deps.Observe(r.update(r.now().Sub(begin), false))
		}
	}
}

// update is the state of the run for a display. Counts are those of durable records.
func (r *run) update(elapsed time.Duration, final bool) Update {
	m := r.plan.manifest
	u := Update{
		Connector: m.ConnectorKey, Version: m.Version, RunID: r.id, SHA256: r.plan.guest.Info().SHA256,
		Elapsed: elapsed, Final: final, Now: r.now(), Streams: r.streamUpdates(),
	}
	if sending := r.network.sending; sending != nil {
		u.Hosts, u.Requests, u.Rate = sending.Hosts(), sending.Counts(), sending.Rate()
		base := ""
		if n := m.Requirements.Network; n != nil && len(u.Hosts) > 0 && (len(u.Hosts) > len(n.Hosts) || n.OwnServer() != nil) {
			base = u.Hosts[0] // of the owner's base_url, see Sending
		}
		for _, p := range manifest.SecretPlaces(m, base) {
			u.Secrets = append(u.Secrets, p.String())
		}
	}
	u.WaitUntil, u.WaitAsked = r.network.waiting()
	last := r.progress.read()
	u.Message, u.Unit = last.Message, last.Unit
	if last.Count != nil {
		u.Count = *last.Count
	}
	if last.Total != nil {
		u.Total = *last.Total
	}
	return u
}

func (r *run) streamUpdates() []StreamUpdate {
	written, rejected := r.writer.Counts(), r.intake.rejections.count()
	list := make([]StreamUpdate, len(r.plan.scope.Streams))
	for i := range list {
		name := r.plan.scope.Streams[i].Name
		list[i] = StreamUpdate{Name: name, Rejected: rejected[i]}
		if s := r.plan.manifest.Stream(name); s != nil {
			list[i].AppendOnly = s.AppendOnly()
		}
		if i < len(written) {
			list[i].Counts = written[i]
		}
	}
	return list
}
