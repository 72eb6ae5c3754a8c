package op

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/host/browser/watch"
)

// RT-15.1: the time that a connector took to look for its session is not taken off a sign-in that
// begins behind it.
func TestSignInHasAllOfItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ended atomic.Bool
		d := dog{now: time.Now, trip: func(string) {}, end: func() { ended.Store(true) }}
		defer d.rest()
		d.happens(watch.Begin, "")
		time.Sleep(watch.DefaultLimit - time.Second)
		if d.begins() {
			t.Error("got a sign-in that is the first to be watched, want it behind the look for a session")
		}
		time.Sleep(watch.DefaultLimit - time.Second)
		synctest.Wait()
		if ended.Load() {
			t.Error("got it ended, want it to go on for all of its time")
		}
		time.Sleep(2 * watch.CaptureLimit)
		synctest.Wait()
		if !ended.Load() {
			t.Error("got a sign-in without progress that goes on, want it ended")
		}
		d.rest()
		if !d.begins() {
			t.Error("got one that was watched before, want it the first")
		}
	})
}
