package browser

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
)

// lookTime is how often the session of a window is looked at. Its last moment is not seen.
const lookTime = 200 * time.Millisecond

// SignedIn is what an owner's window has come to.
type SignedIn struct {
	Cookies int      // that the connector's hosts have left
	Refused []string // hosts that its pages asked for and did not get to
}

// SignIn shows the owner a window of the run's own browser, behind the same gate and the same
// wall, with the hosts of role sign_in open, and keeps what the sites leave there. It returns
// when the owner has closed it, or when ctx ends, which is as good (BR-01).
func (b *Binding) SignIn(ctx context.Context) (done *SignedIn, err error) {
	if b.request.Display == nil {
		return nil, NoDisplay()
	}
	b.roles.SignIn(true)
	if b.browser, err = Acquire(ctx, b.request); err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(err, b.browser.Close())
		b.browser = nil
	}()
	if err := b.show(ctx); err != nil {
		return nil, b.browser.because(err)
	}
	bounded, rest := context.WithCancel(ctx)
	b.working.Go(func() { b.browser.bound(bounded) })
	cookies := b.attend(ctx)
	rest()
	b.working.Wait()
	done = &SignedIn{Cookies: len(cookies)}
	names, _ := b.Refused()
	done.Refused = slices.Sorted(maps.Keys(names))
	var why error // the host's own end of the window; that of its owner is none
	switch err := b.browser.line.Err(); abi.CodeOf(err) {
	case abi.CodeBrowserMemory, abi.CodeBrowserProfileLarge:
		why = err
	}
	if cookies == nil { // it was gone before it was looked at, and what was kept before stays
		return done, why
	}
	sealing, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTime)
	defer cancel()
	return done, errors.Join(why, b.keepSealed(sealing, cookies))
}

// show opens the window at the page where the connector begins.
func (b *Binding) show(ctx context.Context) error {
	on := b.browser.line.On(ctx, "")
	made, err := proto.TargetCreateTarget{URL: "about:blank", NewWindow: true}.Call(on)
	if err != nil {
		return err
	}
	if err := b.restore(ctx); err != nil {
		return err
	}
	if err := (proto.BrowserSetDownloadBehavior{Behavior: proto.BrowserSetDownloadBehaviorBehaviorDeny}).Call(on); err != nil {
		return err
	}
	attached, err := proto.TargetAttachToTarget{TargetID: made.TargetID, Flatten: true}.Call(on)
	if err != nil {
		return err
	}
	window := b.browser.line.On(ctx, attached.SessionID)
	if err := b.clear(window); err != nil {
		return err
	}
	if _, err := (proto.PageNavigate{URL: b.asks.StartURL}).Call(window); err != nil {
		return err
	}
	return proto.TargetDetachFromTarget{SessionID: attached.SessionID}.Call(on)
}

// clear removes what a connector may have left to answer in its sites' place: the owner types into
// what it shows (BR-13.7). Nobody is signed out by it.
func (b *Binding) clear(window proto.Client) error {
	for _, host := range slices.Concat(b.roles.Named(abi.RoleProvider), b.roles.Named(abi.RoleSignIn)) {
		if err := (proto.StorageClearDataForOrigin{Origin: "https://" + host, StorageTypes: "cache_storage,service_workers"}).Call(window); err != nil {
			return err
		}
	}
	if err := (proto.NetworkEnable{}).Call(window); err != nil {
		return err
	}
	return proto.NetworkSetBypassServiceWorker{Bypass: true}.Call(window)
}

// attend returns the cookies that there were when a page was seen last. A browser without a page
// has none any more.
func (b *Binding) attend(ctx context.Context) (last []*proto.NetworkCookie) {
	again := time.NewTicker(lookTime)
	defer again.Stop()
	on := context.WithoutCancel(ctx) // each call has its own deadline
	for {
		cookies, err := b.cookies(on)
		if err != nil {
			return last
		}
		targets, err := proto.TargetGetTargets{}.Call(b.browser.line.On(on, ""))
		if err != nil || !slices.ContainsFunc(targets.TargetInfos, func(t *proto.TargetTargetInfo) bool { return t.Type == proto.TargetTargetInfoTypePage }) {
			return last
		}
		if last = cookies; last == nil {
			last = []*proto.NetworkCookie{}
		}
		if b.looked != nil {
			b.looked(b.browser, len(last))
		}
		select {
		case <-again.C:
		case <-b.browser.Ended():
			return last
		case <-ctx.Done():
			return last
		}
	}
}

// NoDisplay is why there is no window.
func NoDisplay() *abi.Error {
	return abi.NewError(abi.CodeBrowserDisplay, "there is no screen here to show a browser's window on",
		"type it in a terminal of a desktop on this machine; DISPLAY or WAYLAND_DISPLAY names its screen")
}
