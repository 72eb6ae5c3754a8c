package owner

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/storage"
)

// OverdueAfter is how long after its due time a connection is overdue: longer than a
// scheduler takes to look again.
const OverdueAfter = 2 * time.Minute

// Overdue is a connection that a scheduler would have run.
type Overdue struct {
	Name  string
	Since time.Time
	Every time.Duration
}

// lives reports whether a server still does what it was taken for.
func (o *Owner) lives(s *storage.Server) bool {
	return o.Now().Before(s.ExpiresAt) && holder.Alive(s.Holder)
}

// Served reports whether something schedules the data folder now.
func (o *Owner) Served(ctx context.Context) (bool, error) {
	store, err := o.Store(ctx)
	if err != nil {
		return false, err
	}
	server, err := store.Serving(ctx)
	return err == nil && server != nil && o.lives(server), err
}

// EachOverdue calls do for the connections that a scheduler would have run, the longest
// due first, until it returns false. A connection that waits for its owner, or for time
// to pass, is not overdue.
func (o *Owner) EachOverdue(ctx context.Context, do func(Overdue) bool) error {
	store, err := o.Store(ctx)
	if err != nil {
		return err
	}
	now := o.Now()
	all, err := store.Overdue(ctx, now.Add(-OverdueAfter))
	if err != nil {
		return err
	}
	for i := range all {
		conn := &all[i]
		if conn.Unreadable != nil {
			continue
		}
		stored, err := store.Schedule(ctx, conn.ID)
		if err != nil {
			return err
		}
		setting, policy := schedule.SettingOf(stored), modules.PinnedPolicy(conn)
		if !setting.Enrolled(policy) {
			continue
		}
		looked, err := o.Looker(store, conn).Look(ctx, *conn)
		if err != nil {
			return err
		}
		if looked.Due.IsZero() || now.Sub(looked.Due) <= OverdueAfter {
			continue
		}
		every, _ := schedule.Interval(setting, policy)
		if !do(Overdue{conn.Name, looked.Due, every}) {
			return nil
		}
	}
	return nil
}

// missed reports whether, with nothing that serves, a connection that was scheduled
// before is late by all of its interval: twice that has passed without a run, which no
// owner who runs it by hand or by cron in time lets happen.
func (o *Owner) missed(ctx context.Context) (found bool, err error) {
	err = o.EachOverdue(ctx, func(x Overdue) bool {
		found = o.Now().Sub(x.Since) > x.Every
		return !found
	})
	return found, err
}
