package browser

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/launch"
)

// memoryTime is how often the memory of a browser is looked at.
const memoryTime = 2 * time.Second

// bound keeps the browser within its memory until ctx or the browser ends: the largest process of
// a page is ended when all take too much together, and the browser when they do so again (BR-16).
func (b *Browser) bound(ctx context.Context) {
	most := b.request.Memory
	if most == 0 {
		most = abi.BrowserMemory
	}
	again := time.NewTicker(memoryTime)
	defer again.Stop()
	for warned := false; ; {
		select {
		case <-again.C:
		case <-b.Ended():
			return
		case <-ctx.Done():
			return
		}
		used, largest := launch.Memory(b.process.PID)
		switch {
		case used <= most:
		case warned || largest == 0:
			b.line.End(abi.NewError(abi.CodeBrowserMemory, "pages took too much memory again, and the browser was ended", "run it again; browser.memory gives it more"))
			return
		default:
			warned = true
			launch.End(largest)
		}
	}
}
