package op

import (
	"context"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// capture keeps the answers that a page gets from the connector's provider.
func (o *Ops) capture(ctx context.Context, r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error) {
	p, err := o.pages.Page(r.Page)
	if err != nil {
		return nil, nil, err
	}
	prefixes, types := r.Prefixes, r.Types
	return &abi.BrowserAnswer{}, nil, p.Capture(ctx, func(address, kind string) bool {
		return o.provider(address) == nil && (len(types) == 0 || slices.Contains(types, kind)) &&
			(len(prefixes) == 0 || slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(address, prefix) }))
	})
}

// captured returns the oldest of them, and waits for one.
func (o *Ops) captured(ctx context.Context, r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error) {
	p, err := o.pages.Page(r.Page)
	if err != nil {
		return nil, nil, err
	}
	c, dropped, err := p.Taken(ctx)
	if err != nil {
		return nil, nil, err
	}
	size := int64(len(c.Body))
	return &abi.BrowserAnswer{URL: c.URL, Status: c.Status, Headers: c.Headers, Bytes: &size, Dropped: &dropped}, c.Body, nil
}

// captureNoMore forgets those that nobody has taken.
func (o *Ops) captureNoMore(_ context.Context, r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error) {
	p, err := o.pages.Page(r.Page)
	if err == nil {
		p.CaptureNoMore()
	}
	return &abi.BrowserAnswer{}, nil, err
}

// picture takes a picture of a page that the connector may read.
func (o *Ops) picture(ctx context.Context, r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error) {
	if !o.options.Pictures {
		return nil, nil, abi.NewError(abi.CodeBrowserPicture, "the manifest declares no screenshots", "declare runtime_requirements.browser.screenshots")
	}
	p, err := o.readable(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	body, width, height, err := p.Picture(ctx, r.Selector, r.Format)
	size := int64(len(body))
	return &abi.BrowserAnswer{Width: width, Height: height, Bytes: &size}, body, err
}
