package op

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/watch"
)

// outline keeps what a page is made of, as nobody's words (BR-19). It fails without consequence,
// and keeps nothing while the owner is signed in, or has the page. The window is held to read.
func (o *Ops) outline(ctx context.Context, number int, label string, most int) {
	if o.options.Capture == nil || o.signIn != nil || o.hand != nil {
		return
	}
	p, err := o.pages.Page(number)
	if err != nil {
		all := o.pages.All()
		if len(all) == 0 {
			return
		}
		p = all[len(all)-1]
	}
	o.lock.Lock()
	full := o.outlines >= most
	if !full {
		o.outlines++
	}
	o.lock.Unlock()
	if full {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, watch.CaptureLimit)
	defer cancel()
	parts, err := p.Outline(ctx)
	if err != nil {
		return
	}
	address, _ := p.Info(ctx)
	site := ""                                                           // a path has words of the page: names, numbers, tokens
	if u, err := url.Parse(address); err == nil && u.Scheme == "https" { // else an error page's, or one that has gone meanwhile
		site = u.Scheme + "://" + u.Host
	}
	var text bytes.Buffer
	now := o.options.Now()
	fmt.Fprintf(&text, "captured %s\nlabel    %s\naddress  %s\n\n", now.UTC().Format(time.RFC3339), label, site)
	if parts.Write(&text, abi.BrowserCapture-text.Len()) != nil {
		return
	}
	if id, err := o.options.Capture(now, text.Bytes()); err == nil {
		o.options.Tell("run.browser_capture", map[string]any{"label": label, "capture": id})
	}
}

// outlineStalled is outline for a watchdog that has tripped (RT-15.5).
func (o *Ops) outlineStalled(label string) {
	if !o.window.TryRLock() { // a window opens or shuts
		return
	}
	defer o.window.RUnlock()
	o.outline(context.Background(), 0, label, abi.BrowserCaptures)
}
