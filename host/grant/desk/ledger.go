package desk

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/read"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Ledger keeps what readers were told, behind their answers: no read waits for it. A crash
// loses at most the last second and the last thousand reads (RD-56.2). It is safe for
// concurrent use.
type Ledger struct {
	Store  *storage.Store
	Logger *slog.Logger

	mu     sync.Mutex
	wait   []storage.Disclosure
	lost   int           // that found no room
	full   chan struct{} // a thousand wait
	opened sync.Once
}

// The bounds of what waits to be kept.
const (
	keptEvery   = time.Second
	keptAtOnce  = 1000
	mostWaiting = 20 * keptAtOnce // while the store takes no writes
)

func (l *Ledger) signal() chan struct{} {
	l.opened.Do(func() { l.full = make(chan struct{}, 1) })
	return l.full
}

// Note has a read kept soon.
func (l *Ledger) Note(d *read.Disclosure) {
	row := storage.Disclosure{
		At: d.At, RequestID: d.RequestID, TokenID: d.Caller.Token, GrantID: d.Caller.Grant, ClientID: d.Caller.Client, Route: d.Route,
		Parameters: d.Parameters, Records: d.Records, Connections: d.Connections, Bytes: d.Bytes, Status: d.Status, Code: d.Code, Took: d.Took,
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.wait) >= mostWaiting {
		l.lost++
		return
	}
	if l.wait = append(l.wait, row); len(l.wait) >= keptAtOnce {
		select {
		case l.signal() <- struct{}{}:
		default:
		}
	}
}

// Spent is how many bytes were read by a grant since a moment: by what the store has, of all
// processes, and by what waits for it.
func (l *Ledger) Spent(ctx context.Context, grantID string, since time.Time) (int64, error) {
	// First the store: what is kept meanwhile is missed once, and not counted twice.
	kept, err := l.Store.DisclosedBytes(ctx, grantID, since)
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.wait {
		if l.wait[i].GrantID == grantID && !l.wait[i].At.Before(since) {
			kept += l.wait[i].Bytes
		}
	}
	return kept, err
}

// Run keeps what was noted until ctx ends, and then the rest.
func (l *Ledger) Run(ctx context.Context) {
	tick := time.NewTicker(keptEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick.C:
		case <-l.signal():
		}
		l.keep(context.WithoutCancel(ctx))
	}
	l.keep(context.WithoutCancel(ctx)) // what was noted since, or before it began
}

// keep keeps what waits, a thousand at a time. Those that the store does not take wait on; one
// that it never takes is dropped, so that it does not keep the others waiting.
func (l *Ledger) keep(ctx context.Context) {
	for atOnce := keptAtOnce; ; {
		l.mu.Lock()
		some, lost := l.wait[:min(len(l.wait), atOnce)], l.lost
		l.lost = 0
		l.mu.Unlock()
		if lost > 0 {
			l.Logger.Error("reads were not counted: too many waited for the store", "reads", lost)
		}
		if len(some) == 0 {
			return
		}
		switch err := l.Store.Disclose(ctx, some); {
		case err == nil:
			atOnce = keptAtOnce
		case abi.CodeOf(err) != abi.CodeStoreText:
			l.Logger.Warn("reads are not counted yet; tried again", "code", abi.CodeOf(err))
			return
		case len(some) > 1:
			atOnce = len(some) / 2
			continue
		default:
			l.Logger.Error("a read was not counted: the store refuses it", "request", some[0].RequestID)
			atOnce = keptAtOnce
		}
		l.mu.Lock()
		l.wait = append([]storage.Disclosure(nil), l.wait[len(some):]...)
		l.mu.Unlock()
	}
}
