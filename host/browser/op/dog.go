package op

import (
	"slices"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/host/browser/watch"
)

// dog watches over signing in: when there is no progress for too long, it ends the browser.
type dog struct {
	now  func() time.Time
	trip func(label string) // called once: captures the page, in less than watch.CaptureLimit
	end  func()             // called once, behind that

	working sync.WaitGroup

	lock  sync.Mutex
	watch watch.Watch
	timer *time.Timer // nil: nothing is due
}

// happens tells the dog what happened.
func (d *dog) happens(kind watch.Kind, label string) {
	d.lock.Lock()
	effects := d.next(watch.Event{Kind: kind, Label: label})
	last := d.watch.Label
	if slices.Contains(effects, watch.CloseGate) {
		d.working.Go(func() {
			d.trip(last)
			d.happens(watch.CaptureDone, "")
		})
	}
	d.lock.Unlock()
	if slices.Contains(effects, watch.EndBrowser) {
		d.end()
	}
}

// begins tells the dog that a sign-in begins, and reports whether nothing was watched before. Where
// the connector has looked for its session first, the form has all of the time again.
func (d *dog) begins() (first bool) {
	d.lock.Lock()
	first = d.watch.State == watch.Off
	d.lock.Unlock()
	kind := watch.Checkpoint
	if first {
		kind = watch.Begin
	}
	d.happens(kind, watch.LabelBegin)
	return first
}

// next moves the watch on, and returns what is to be done. The lock is held.
func (d *dog) next(e watch.Event) []watch.Effect {
	now := d.now()
	w, all := d.watch.Next(e, now)
	if w.State == watch.Tripped { // no trace is taken
		w, _ = w.Next(watch.Event{Kind: watch.TraceDone}, now)
	}
	d.watch = w
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
	if due := w.Due(); !due.IsZero() {
		d.timer = time.AfterFunc(due.Sub(now), func() { d.happens(watch.Tick, "") })
	}
	return all
}

// rest ends the watch. One that has tripped comes to its end first.
func (d *dog) rest() {
	d.lock.Lock()
	defer d.lock.Unlock()
	if d.watch.State >= watch.Tripped {
		d.lock.Unlock()
		d.working.Wait()
		d.lock.Lock()
	}
	d.watch = watch.Watch{Limit: d.watch.Limit}
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
}
