package page

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/wire"
)

const (
	aliveTime = 5 * time.Second // for an answer to a look, and between two of them
	mostMiss  = 2               // looks without an answer, in a row
)

// Doing watches over the page until what it returns is called: who waits for a page that hangs
// would wait for all of its time (BR-16). An operation of less than five seconds costs no look.
func (p *Page) Doing() (done func()) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.doing++; p.doing == 1 {
		var ctx context.Context
		ctx, p.rest = context.WithCancel(p.ctx)
		p.set.working.Go(func() { p.pulse(ctx) })
	}
	return func() {
		p.lock.Lock()
		defer p.lock.Unlock()
		if p.doing--; p.doing == 0 {
			p.rest()
		}
	}
}

// pulse looks at the page until ctx ends, and ends the page when it hangs.
func (p *Page) pulse(ctx context.Context) {
	again := time.NewTimer(aliveTime)
	defer again.Stop()
	for missed := 0; missed < mostMiss; {
		select {
		case <-again.C:
		case <-ctx.Done():
			return
		}
		wait := aliveTime
		waits := p.waits()
		if p.alive(ctx) || waits || p.waits() {
			missed = 0
		} else {
			missed, wait = missed+1, 0 // it has waited
		}
		again.Reset(wait)
	}
	if ctx.Err() != nil {
		return
	}
	p.hang()
}

// hang ends the page, which hangs.
func (p *Page) hang() {
	p.end(hung()) // first, so that who waits hears of this
	end, cancel := context.WithTimeout(p.set.ctx, aliveTime)
	defer cancel()
	_ = proto.RuntimeTerminateExecution{}.Call(p.set.line.On(end, p.session)) // its process may have other pages
	p.set.lose(p, hung())
}

// waits reports whether a script of the page may wait for a request that the gate holds. The
// request comes from the page's own frame, or from a frame within some page.
func (p *Page) waits() bool {
	if p.set.held == nil {
		return false
	}
	others := map[string]bool{}
	for _, other := range p.set.All() {
		others[string(other.target)] = other != p
	}
	return slices.ContainsFunc(p.set.held(), func(frame string) bool { return !others[frame] })
}

// alive reports whether the page answers. One that refuses does.
func (p *Page) alive(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, aliveTime)
	defer cancel()
	_, err := proto.RuntimeEvaluate{Expression: "1"}.Call(p.set.line.On(ctx, p.session))
	var refusal *wire.Refusal
	return err == nil || errors.As(err, &refusal)
}

// Answers says why the page answers nothing any more; nil: it does. A page that hangs is ended.
func (p *Page) Answers(ctx context.Context) error {
	for missed := 0; p.ctx.Err() == nil; missed++ {
		if missed == mostMiss {
			p.hang()
			return hung()
		}
		answers := p.alive(ctx) || p.waits()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := p.set.line.Err(); err != nil || answers {
			return err
		}
	}
	return context.Cause(p.ctx)
}

func hung() error {
	return abi.NewError(abi.CodeBrowserPageHung, "the page hangs, and was closed", "open another one")
}
