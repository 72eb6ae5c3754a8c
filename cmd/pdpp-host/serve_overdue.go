package main

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/storage"
)

// overdueAfter is how long after its due time a connection is overdue: longer than a
// scheduler takes to look again.
const overdueAfter = 2 * time.Minute

// lives reports whether a server still does what it was taken for.
func (a *app) lives(s *storage.Server) bool {
	return a.Now().Before(s.ExpiresAt) && run.HolderAlive(s.Holder)
}

// served reports whether something schedules the data folder now.
func (a *app) served(ctx context.Context, store *storage.Store) (bool, error) {
	server, err := store.Serving(ctx)
	return err == nil && server != nil && a.lives(server), err
}

// overdue is a connection that a scheduler would have run.
type overdue struct {
	name  string
	since time.Time
	every time.Duration
}

// eachOverdue calls do for the connections that a scheduler would have run, the longest
// due first, until it returns false. What waits for its owner, or for time to pass, is
// missed by nobody.
func (a *app) eachOverdue(ctx context.Context, store *storage.Store, do func(overdue) bool) error {
	now := a.Now()
	all, err := store.Overdue(ctx, now.Add(-overdueAfter))
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
		setting, policy := schedule.SettingOf(stored), pinnedPolicy(conn)
		if !setting.Enrolled(policy) {
			continue
		}
		looked, err := a.looker(store, conn).Look(ctx, *conn)
		if err != nil {
			return err
		}
		if looked.Due.IsZero() || now.Sub(looked.Due) <= overdueAfter {
			continue
		}
		every, _ := schedule.Interval(setting, policy)
		if !do(overdue{conn.Name, looked.Due, every}) {
			return nil
		}
	}
	return nil
}

// missed reports whether, with nothing that serves, a connection that was scheduled
// before is late by all of its interval: twice that has passed without a run, which no
// owner who runs it by hand or by cron in time lets happen.
func (a *app) missed(ctx context.Context, store *storage.Store) (found bool, err error) {
	err = a.eachOverdue(ctx, store, func(o overdue) bool {
		found = a.Now().Sub(o.since) > o.every
		return !found
	})
	return found, err
}
