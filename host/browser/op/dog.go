package op

import (
	"slices"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/host/browser/watch"
)

// dog watches over signing in: when there is no progress for too long, it ends the browser.
type dog struct {
	now func() time.Time
	end func(label string) // called once

	lock  sync.Mutex
	watch watch.Watch
	timer *time.Timer // nil: nothing is due
}

// happens tells the dog what happened.
func (d *dog) happens(kind watch.Kind, label string) {
	d.lock.Lock()
	ends := d.next(watch.Event{Kind: kind, Label: label})
	last := d.watch.Label
	d.lock.Unlock()
	if ends {
		d.end(last)
	}
}

// next moves the watch on, and reports whether the browser is to be ended. The lock is held.
func (d *dog) next(e watch.Event) bool {
	now := d.now()
	w, all := d.watch.Next(e, now)
	if w.State == watch.Tripped { // nothing is taken down of it
		var effects []watch.Effect
		w, _ = w.Next(watch.Event{Kind: watch.CaptureDone}, now)
		w, effects = w.Next(watch.Event{Kind: watch.TraceDone}, now)
		all = append(all, effects...)
	}
	d.watch = w
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
	if due := w.Due(); !due.IsZero() {
		d.timer = time.AfterFunc(due.Sub(now), func() { d.happens(watch.Tick, "") })
	}
	return slices.Contains(all, watch.EndBrowser)
}

// rest ends the watch.
func (d *dog) rest() {
	d.lock.Lock()
	defer d.lock.Unlock()
	d.watch = watch.Watch{Limit: d.watch.Limit}
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
}
