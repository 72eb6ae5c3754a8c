package running

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/storage"
)

// cooledDown refuses a run that the provider's pressure puts off, and says until
// when. An owner who insists says --force.
func cooledDown(ctx context.Context, o *owner.Owner, store *storage.Store, id string) error {
	conn, err := store.Connection(ctx, id)
	if err != nil {
		return err
	}
	in, err := owner.CooldownOf(ctx, store, conn)
	if err != nil {
		return err
	}
	until, why := schedule.Cooldown(in, o.Now())
	if until.IsZero() {
		return nil
	}
	if !in.ClockBack.IsZero() {
		if err := store.NoteClock(ctx); err != nil { // from when the wait is counted
			return err
		}
	}
	cause := "the service was away"
	if slices.Contains(why.Reasons, abi.ReasonRateLimited) {
		cause = "the service asked for fewer requests"
	}
	return abi.NewError(abi.CodeCoolingDown, cause+": the connection cools down until "+clock(until, o.Now()),
		"wait until then, or run it now with --force; what was collected is kept").
		WithDetail(fmt.Sprintf("%s, until %s, %s", conn.Name, until.UTC().Format(time.RFC3339), reasonsOf(why)))
}

func reasonsOf(why schedule.Cooling) string {
	words := make([]string, len(why.Reasons))
	for i, r := range why.Reasons {
		words[i] = string(r)
	}
	return strings.Join(words, ", ")
}

// clock is the owner's time of day where that is enough: today. It names its zone:
// other surfaces say UTC.
func clock(t, now time.Time) string { return clockOf(t, now, time.Local) } //nolint:gosmopolitan // it is read off the owner's own clock; the detail has it in UTC

func clockOf(t, now time.Time, zone *time.Location) string {
	t, now = t.In(zone), now.In(zone)
	layout := "2006-01-02 15:04:05 MST"
	if t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		layout = "15:04:05 MST"
	}
	return t.Format(layout)
}

// coolDown keeps until when a run that was made by hand leaves its connection to cool
// down, as `serve` keeps it. It says so in the hint of a run that would be made again.
// The run has its outcome whether that can be kept or not.
func (r *Ended) coolDown(ctx context.Context, o *owner.Owner, store *storage.Store) {
	ctx = context.WithoutCancel(ctx)
	conn, err := store.Connection(ctx, r.ConnectionID)
	if err == nil {
		r.CoolsUntil, err = o.Looker(store, conn).PutOff(ctx, *conn)
	}
	if err != nil {
		o.Logger.Warn("it cannot be kept whether the connection cools down", "code", abi.CodeOf(err))
		return
	}
	if r.CoolsUntil.IsZero() {
		return
	}
	text := r.Connection + " cools down until " + clock(r.CoolsUntil, o.Now()) + "; run it then, or now with --force; what was collected is kept"
	f := r.Error
	if f == nil || f.Hint != "" || f.RecoveryHint == "refresh_credentials" || f.RecoveryHint == "manual_action_required" {
		r.CoolsDown = text
		return
	}
	f.Hint = text
}
