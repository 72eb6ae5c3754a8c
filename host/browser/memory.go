package browser

import (
	"cmp"
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/launch"
)

// memoryTime is how often the memory and the profile of a browser are looked at.
const memoryTime = 2 * time.Second

// mostDisk bounds a profile, and mostStored what its sites store, in bytes (BR-18.1).
const (
	mostDisk   = 512 << 20
	mostStored = 384 << 20
)

// bound keeps the browser within its memory and its profile's size until ctx or the browser ends: the
// largest process of a page is ended when all take too much together, and the browser when they do so
// again (BR-16). A profile that is too large ends it at once: a page may fill a disk in one call.
func (b *Browser) bound(ctx context.Context) {
	most, disk := cmp.Or(b.request.Memory, abi.BrowserMemory), cmp.Or(b.request.Disk, mostDisk)
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
		if n := b.held.Bytes(); n > disk {
			b.overfull.Store(n)
			b.line.End(abi.NewError(abi.CodeBrowserProfileLarge, "sites have left too much in the browser's profile, and the browser was ended", "connections sign-out forgets it; its owner signs in again then"))
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
