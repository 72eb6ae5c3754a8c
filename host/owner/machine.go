package owner

import (
	"context"
	"path/filepath"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/owner/disk"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/storage"
)

// clockTold is how long it is told that the clock went back: until due times and pauses
// have been counted anew.
const clockTold = time.Hour

// Runtime returns the state of what serves the connections (HL-28): the one source for what
// this machine cannot do, whichever face asks. First come the faults under which no run
// begins, which the others would only hide: a full disk, a store that takes no writes. At
// fault is also a scheduler that is gone without having been stopped, or that does nothing;
// and where none serves, that what one has served before is missed.
func (o *Owner) Runtime(ctx context.Context) (view.Runtime, error) {
	fault, err := o.fault(ctx)
	return view.Runtime{OK: err == nil && fault == "", Fault: fault}, err
}

func (o *Owner) fault(ctx context.Context) (string, error) {
	if o.DiskFull() {
		return view.FaultDiskFull, nil
	}
	store, err := o.Store(ctx)
	if err != nil {
		return "", err
	}
	if fault := o.RefusesRuns(); fault != "" {
		return fault, nil
	}
	clock, err := store.Clock(ctx)
	if err != nil {
		return "", err
	}
	if !clock.BackAt.IsZero() && o.Now().Sub(clock.BackAt) < clockTold {
		return view.FaultClockBack, nil
	}
	server, err := store.Serving(ctx)
	switch {
	case err != nil:
		return "", err
	case server != nil && o.lives(server):
		return "", nil // what serves writes to it, whoever asks
	case o.storeReadOnly():
		return view.FaultStoreReadOnly, nil
	case server != nil && holder.Runs(server.Holder):
		return view.FaultSchedulerUnheard, nil
	case server != nil:
		return view.FaultSchedulerStopped, nil
	}
	missed, err := o.missed(ctx)
	if err != nil || missed {
		return view.FaultSchedulerAbsent, err
	}
	return "", nil
}

// RefusesRuns returns the fault of the machine under which no run begins, as far as this process
// has met it, or "" if it has met no fault. It reads memory, and asks the system, so anybody may ask at any time.
func (o *Owner) RefusesRuns() string {
	if o.DiskFull() {
		return view.FaultDiskFull
	}
	if o.store == nil {
		return ""
	}
	switch o.store.Refuses() { // writes of this process
	case abi.CodeStoreFull:
		return view.FaultDiskFull
	case abi.CodeStoreUnavailable:
		if o.storeReadOnly() {
			return view.FaultStoreReadOnly
		}
		return view.FaultStoreRefuses
	}
	return ""
}

// RefuseRuns refuses a run that a fault of the machine keeps from beginning, see RefusesRuns.
func (o *Owner) RefuseRuns() error {
	if err := o.RefuseFull(); err != nil {
		return err
	}
	fault := o.RefusesRuns()
	if fault == "" {
		return nil
	}
	code := abi.CodeStoreUnavailable
	if fault == view.FaultDiskFull {
		code = abi.CodeStoreFull
	}
	r := view.Runtime{Fault: fault}
	return abi.NewError(code, r.Indicator(), r.Advice())
}

// TakesWrites reports whether a store that took no writes may do so by now: its folder can be
// written to, and its disk has some room.
func (o *Owner) TakesWrites() bool {
	if !o.hasFile() {
		return true
	}
	dir := filepath.Dir(o.Config.StorageDSN())
	free, known := disk.Free(dir)
	return disk.Writable(dir) && !o.storeReadOnly() && (!known || free >= roomToOpen)
}

// roomToOpen is the room on a disk, in bytes, with which a store that could not be opened is
// tried again: its log and the log's index take a part of it.
const roomToOpen = 1 << 20

// DiskFull reports whether the disk that holds the data has no room for a run. Of a
// server's disk it is not known.
func (o *Owner) DiskFull() bool {
	return o.hasFile() && disk.Full(o.Config.DataDir(), o.Config.StorageDSN())
}

// hasFile reports whether the store is a file of this machine.
func (o *Owner) hasFile() bool { return o.Config != nil && !o.Config.StoreOnServer() }

// storeReadOnly reports whether this process cannot write to a store that is there.
func (o *Owner) storeReadOnly() bool {
	if !o.hasFile() || !o.HasStore() {
		return false
	}
	path := o.Config.StorageDSN()
	return !disk.Writable(path) || !disk.Writable(filepath.Dir(path))
}

// RefuseFull refuses what would fill a disk that is full already.
func (o *Owner) RefuseFull() error {
	if !o.DiskFull() {
		return nil
	}
	return abi.NewError(abi.CodeStoreFull, "no space left for the store", "free disk space where the data folder lies, or delete what is not needed any more; what was collected is kept").
		WithDetail(o.Config.DataDir())
}

// KeepReserve keeps some of the disk in reserve for what makes room on it once it is full.
func (o *Owner) KeepReserve() {
	if !o.hasFile() {
		return
	}
	if err := disk.Keep(filepath.Dir(o.Config.StorageDSN())); err != nil {
		o.Logger.Warn("no room could be reserved beside the store", "error", err)
	}
}

// GiveBack gives back what was put aside for a full disk, where err says that it is full: the
// reserve, else the compiled modules. It reports whether what failed may be tried again.
func (o *Owner) GiveBack(err error) bool {
	if abi.CodeOf(err) != abi.CodeStoreFull || !o.hasFile() || !disk.GiveBack(filepath.Dir(o.Config.StorageDSN()), modules.CacheDir(o.Config)) {
		return false
	}
	o.Logger.Warn("the disk is full; what was put aside for that is given back, and no run begins before there is room for one")
	return true
}

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

// ReachedAt returns what a browser reaches the server at that serves the data folder now; "": none
// serves it, or it listens nowhere. A link leads there alone: another program of this machine may
// listen at the address of the configuration.
func (o *Owner) ReachedAt(ctx context.Context) (origin string, err error) {
	store, err := o.Store(ctx)
	if err != nil {
		return "", err
	}
	server, err := store.Serving(ctx)
	if err != nil || server == nil || !o.lives(server) && !holder.Runs(server.Holder) {
		return "", err
	}
	return server.Origin, nil
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
