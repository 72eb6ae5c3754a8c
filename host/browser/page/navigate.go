package page

import (
	"context"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Goto leads the page to an address, and returns the status of its document.
func (p *Page) Goto(ctx context.Context, address, until string) (status int, err error) {
	passed := p.Passed()
	on, done := p.on(ctx)
	defer done()
	got, err := proto.PageNavigate{URL: address}.Call(on)
	switch {
	case err != nil:
		return 0, err
	case got.ErrorText != "":
		return 0, notLoaded(got.ErrorText)
	case got.LoaderID == "": // the document stays: its fragment alone is another
		return 0, nil
	}
	if err := p.arrived(ctx, string(got.LoaderID), passed, until); err != nil {
		return 0, err
	}
	return p.status(ctx)
}

// Reload loads the page's document anew.
func (p *Page) Reload(ctx context.Context, until string) (status int, err error) {
	passed := p.Passed()
	if err := p.call(ctx, proto.PageReload{}); err != nil {
		return 0, err
	}
	if err := p.arrived(ctx, "", passed, until); err != nil {
		return 0, err
	}
	return p.status(ctx)
}

// Back leads the page to where it was before.
func (p *Page) Back(ctx context.Context, until string) (status int, err error) {
	passed := p.Passed()
	on, done := p.on(ctx)
	defer done()
	history, err := proto.PageGetNavigationHistory{}.Call(on)
	if err != nil {
		return 0, err
	}
	if history.CurrentIndex < 1 || history.CurrentIndex > len(history.Entries) {
		return 0, abi.NewError(abi.CodeBrowserNotLoaded, "the page was nowhere before", "lead it to an address")
	}
	if err := (proto.PageNavigateToHistoryEntry{EntryID: history.Entries[history.CurrentIndex-1].ID}).Call(on); err != nil {
		return 0, err
	}
	if err := p.arrived(ctx, "", passed, until); err != nil {
		return 0, err
	}
	return p.status(ctx)
}

// Arrive returns when a document has followed the first passed ones.
func (p *Page) Arrive(ctx context.Context, passed int, until string) error {
	return p.arrived(ctx, "", passed, until)
}

// Forget makes the page forget where it was, so that nothing leads back there.
func (p *Page) Forget(ctx context.Context) error {
	return p.call(ctx, proto.PageResetNavigationHistory{})
}

// Clear removes what an origin has left to answer in its own place: caches and service workers.
// Nobody is signed out by it.
func (p *Page) Clear(ctx context.Context, origin string) error {
	return p.call(ctx, proto.StorageClearDataForOrigin{Origin: origin, StorageTypes: "cache_storage,service_workers"})
}

// ClearCache empties the browser's cache of answers. One that is on its way comes into it no more.
func (p *Page) ClearCache(ctx context.Context) error {
	return p.call(ctx, proto.NetworkClearBrowserCache{})
}

// PassCSP has what is done in the page go past its own policy, where that is asked for.
func (p *Page) PassCSP(ctx context.Context) error {
	if !p.set.csp {
		return nil
	}
	return p.call(ctx, proto.PageSetBypassCSP{Enabled: true})
}

// status returns the status of the document that is there; 0: it has none.
func (p *Page) status(ctx context.Context) (status int, err error) {
	err = p.run(ctx, &status, `() => performance.getEntriesByType("navigation")[0]?.responseStatus ?? 0`)
	if abi.CodeOf(err) == abi.CodeBrowserNotLoaded { // it went on by itself
		return 0, nil
	}
	return status, err
}

func notLoaded(text string) error {
	return abi.NewError(abi.CodeBrowserNotLoaded, "the page was not loaded: "+clip(text, mostText), "look at what the run says of refused hosts; try it again later")
}
