package browser

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Sealer seals what is kept of a browser between two runs.
type Sealer interface {
	Seal(ctx context.Context, plain []byte) ([]byte, error)
	Unseal(ctx context.Context, sealed []byte) ([]byte, error)
}

// keepTime bounds the time in which the session is kept at the end of a run.
const keepTime = 5 * time.Second

// restore gives the browser back the cookies that ended with the last one, before its first
// page goes anywhere. A session that cannot be read is as good as none: the owner signs in
// again. A browser without a page has given its profile up, and what is set into it is lost.
func (b *Binding) restore(ctx context.Context) error {
	if b.request.Sealer == nil || b.asks.Session == abi.SessionDrop {
		return nil
	}
	sealed, err := b.browser.held.Kept()
	if err != nil || sealed == nil {
		return err
	}
	plain, err := b.request.Sealer.Unseal(ctx, sealed)
	if err != nil {
		return b.browser.held.Keep(nil)
	}
	defer clear(plain)
	var cookies []*proto.NetworkCookie
	if json.Unmarshal(plain, &cookies) != nil || len(cookies) == 0 {
		return nil
	}
	params := proto.CookiesToParams(cookies)
	for _, c := range params {
		c.Expires = 0 // absent: with the browser. It came as -1, which would be long ago
	}
	return proto.StorageSetCookies{Cookies: params}.Call(b.browser.line.On(ctx, ""))
}

// cookies returns those of the hosts that the connector declares.
func (b *Binding) cookies(ctx context.Context) ([]*proto.NetworkCookie, error) {
	got, err := proto.StorageGetCookies{}.Call(b.browser.line.On(ctx, ""))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(got.Cookies, func(c *proto.NetworkCookie) bool { return !b.roles.Cookies(c.Domain) }), nil
}

// keep keeps what ends with the browser.
func (b *Binding) keep() error {
	if b.browser.line.Err() != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), keepTime)
	defer cancel()
	cookies, err := b.cookies(ctx)
	if err != nil {
		return nil //nolint:nilerr // it is gone: what was kept before stays
	}
	return b.keepSealed(ctx, cookies)
}

// keepSealed keeps those of cookies that end with the browser: who is signed in until it ends is
// so in the next run.
func (b *Binding) keepSealed(ctx context.Context, cookies []*proto.NetworkCookie) error {
	if b.request.Sealer == nil || b.asks.Session == abi.SessionDrop {
		return nil
	}
	cookies = slices.DeleteFunc(slices.Clone(cookies), func(c *proto.NetworkCookie) bool { return !c.Session })
	if len(cookies) == 0 {
		return b.browser.held.Keep(nil)
	}
	plain, err := json.Marshal(cookies)
	if err != nil {
		return err
	}
	defer clear(plain)
	sealed, err := b.request.Sealer.Seal(ctx, plain)
	if err != nil {
		return err
	}
	return b.browser.held.Keep(sealed)
}

// hide tells of the cookies that there are, before an answer goes out which may have them: a
// script reads some, and a site may show the others.
func (b *Binding) hide() error {
	if b.request.Hide == nil {
		return nil
	}
	got, err := proto.StorageGetCookies{}.Call(b.browser.line.On(b.ctx, ""))
	if err != nil {
		return err
	}
	b.hideAll(got.Cookies)
	return nil
}

// hideAll tells of cookies.
func (b *Binding) hideAll(cookies []*proto.NetworkCookie) {
	if b.request.Hide == nil {
		return
	}
	for _, c := range cookies {
		b.request.Hide(c.Name, c.Value)
	}
}
