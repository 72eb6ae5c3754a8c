package op

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/page"
)

// typed returns the error with a code in err's tree.
func typed(err error) *abi.Error {
	if e, ok := errors.AsType[*abi.Error](err); ok {
		return e
	}
	return abi.NewError(abi.CodeInternal, "the browser could not do it", "this is a fault of the host").Wrap(err)
}

// at says where a page is. While the owner is signed in no query and no fragment is told: a
// site may put there what was typed.
func (o *Ops) at(ctx context.Context, p *page.Page, a *abi.BrowserAnswer) *abi.BrowserAnswer {
	a.Page = p.Number
	a.URL, a.Title = p.Info(ctx)
	if o.signIn != nil {
		a.URL, a.Title = bare(a.URL), ""
	}
	return a
}

// bare returns an address without query and fragment.
func bare(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.RawQuery, u.Fragment, u.User = "", "", nil
	return u.String()
}

func (o *Ops) open(ctx context.Context, r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error) {
	if r.URL != "" {
		if _, err := o.options.Roles.Target(r.URL); err != nil {
			return nil, nil, err
		}
	}
	p, err := o.pages.Open(ctx)
	if err != nil || r.URL == "" {
		return &abi.BrowserAnswer{Page: numberOf(p)}, nil, err
	}
	a, err := o.lead(ctx, p, r)
	if err != nil { // a page that went nowhere is nobody's
		_ = p.Close(ctx)
	}
	return a, nil, err
}

func numberOf(p *page.Page) int {
	if p == nil {
		return 0
	}
	return p.Number
}

// lead leads a page to the address of a request.
func (o *Ops) lead(ctx context.Context, p *page.Page, r *abi.BrowserRequest) (*abi.BrowserAnswer, error) {
	u, err := o.options.Roles.Target(r.URL)
	if err != nil {
		return nil, err
	}
	status, err := p.Goto(ctx, u.String(), r.Until)
	if err != nil {
		if why := o.options.Roles.Why(u.String()); why != nil {
			return nil, why
		}
		return nil, err
	}
	return o.at(ctx, p, &abi.BrowserAnswer{Status: status}), nil
}

func (o *Ops) navigate(ctx context.Context, r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error) {
	p, err := o.pages.Page(r.Page)
	if err != nil {
		return nil, nil, err
	}
	a, err := o.lead(ctx, p, r)
	return a, nil, err
}

func (o *Ops) back(ctx context.Context, r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error) {
	return o.moved(ctx, r, (*page.Page).Back)
}

func (o *Ops) reload(ctx context.Context, r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error) {
	return o.moved(ctx, r, (*page.Page).Reload)
}

func (o *Ops) moved(ctx context.Context, r *abi.BrowserRequest, move func(*page.Page, context.Context, string) (int, error)) (*abi.BrowserAnswer, []byte, error) {
	p, err := o.pages.Page(r.Page)
	if err != nil {
		return nil, nil, err
	}
	status, err := move(p, ctx, r.Until)
	if err != nil {
		return nil, nil, err
	}
	return o.at(ctx, p, &abi.BrowserAnswer{Status: status}), nil, nil
}

func (o *Ops) close(ctx context.Context, r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error) {
	p, err := o.pages.Page(r.Page)
	if err != nil {
		return nil, nil, err
	}
	return &abi.BrowserAnswer{}, nil, p.Close(ctx)
}

func (o *Ops) list(ctx context.Context, _ *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error) {
	a := &abi.BrowserAnswer{Pages: []abi.BrowserPage{}}
	for _, p := range o.pages.All() {
		at := o.at(ctx, p, &abi.BrowserAnswer{})
		a.Pages = append(a.Pages, abi.BrowserPage{Page: p.Number, URL: at.URL, Title: at.Title, Opener: p.Opener})
	}
	return a, nil, nil
}

// wait returns which of the conditions holds first. The host looks again and again, so that no
// connector sleeps.
func (o *Ops) wait(ctx context.Context, r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error) {
	if len(r.Any) == 0 {
		return nil, nil, invalid("nothing is waited for")
	}
	if err := o.conditions(r.Any); err != nil {
		return nil, nil, err
	}
	p, err := o.pages.Page(r.Page)
	if err != nil {
		return nil, nil, err
	}
	again := time.NewTicker(poll)
	defer again.Stop()
	for {
		index, err := p.Holds(ctx, r.Any)
		switch {
		case err != nil && abi.CodeOf(err) != abi.CodeBrowserNotLoaded: // it may be on its way
			return nil, nil, err
		case err == nil && index >= 0:
			return o.at(ctx, p, &abi.BrowserAnswer{Index: &index}), nil, nil
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		}
	}
}
