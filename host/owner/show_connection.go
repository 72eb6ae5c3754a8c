package owner

import (
	"context"

	"github.com/pdpp-host/pdpp-host/health/view"
)

// Connection returns everything about one connection.
func (o *Owner) Connection(ctx context.Context, name string) (*Connection, error) {
	store, conn, err := o.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	v := connectionOf(conn)
	streams, err := store.Streams(ctx, conn.Name)
	if err != nil {
		return nil, err
	}
	for _, s := range streams {
		v.Streams = append(v.Streams, Stream{s.Name, s.Live, s.Deleted, s.LastSeq})
	}
	points, err := store.Checkpoints(ctx, conn.Name)
	if err != nil {
		return nil, err
	}
	for _, p := range points {
		v.Checkpoints = append(v.Checkpoints, Checkpoint{p.Stream, p.Bookmark, p.RunID, p.At, p.Staged, len(p.Cursor)})
	}
	fed, err := store.SourceInstances(ctx, conn.ID)
	if err != nil {
		return nil, err
	}
	if v.Devices = FeedsOf(fed); len(fed) == 0 { // a device has a schedule of its own
		if v.Schedule, err = o.scheduleOf(ctx, store, conn); err != nil {
			return nil, err
		}
	}
	if v.Credentials, err = o.knownCredentials(ctx, store, conn); err != nil {
		return nil, err
	}
	if v.Destinations, err = store.Destinations(ctx, conn.ID); err != nil {
		return nil, err
	}
	e, err := store.EvidenceOf(ctx, conn.ID)
	if err != nil {
		return nil, err
	}
	v.OpenGaps = e.OpenGaps()
	runtime, err := o.Runtime(ctx)
	if err != nil {
		return nil, err
	}
	rendered := o.Verdict(e, runtime)
	brief := view.BriefOf(&rendered)
	v.Verdict = &brief
	return v, nil
}
