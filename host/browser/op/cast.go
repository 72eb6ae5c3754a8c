package op

import (
	"context"

	"github.com/pdpp-host/pdpp-host/host/browser/page"
)

// cast is what a view gets pictures with.
type cast struct {
	quality int
	put     func(jpeg []byte, ack func())
}

// Cast implements handoff.Surface.
func (w *hand) Cast(ctx context.Context, quality int, put func(jpeg []byte, ack func())) (stop func(), err error) {
	w.casting.Lock()
	defer w.casting.Unlock()
	if w.ctx.Err() != nil {
		return nil, context.Cause(w.ctx)
	}
	p, viewport, err := w.current()
	if err != nil {
		return nil, err
	}
	if err := p.Cast(ctx, quality, viewport, put); err != nil {
		return nil, err
	}
	c := &cast{quality, put}
	w.cast = c
	return func() {
		w.casting.Lock()
		defer w.casting.Unlock()
		if w.cast != c || w.ctx.Err() != nil { // the window is over: its page is the connector's
			return
		}
		w.cast = nil
		if p, _, err := w.current(); err == nil {
			ctx, cancel := context.WithTimeout(w.ctx, actTime)
			defer cancel()
			_ = p.Still(ctx) // the page may be gone
		}
	}, nil
}

// show shows another page.
func (w *hand) show(ctx context.Context, p *page.Page) error {
	w.casting.Lock()
	defer w.casting.Unlock()
	before, viewport, err := w.current()
	if err == nil && before != p && w.cast != nil {
		_ = before.Still(ctx)
	}
	w.lock.Lock()
	w.shown = p.Number
	w.change()
	w.lock.Unlock()
	return w.cover(ctx, p, viewport)
}

// cover shows a page in front, in a size. w.casting is held.
func (w *hand) cover(ctx context.Context, p *page.Page, viewport string) error {
	if err := p.Front(ctx); err != nil {
		return err
	}
	if err := p.Size(ctx, viewport); err != nil || w.cast == nil {
		return err
	}
	return p.Cast(ctx, w.cast.quality, viewport, w.cast.put)
}
