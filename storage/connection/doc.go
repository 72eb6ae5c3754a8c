// Package connection keeps connections and when each of them runs: options and folders, the
// accepted module, schedule, due time, what was skipped or refused, the next examination,
// and which process serves the store. It also removes a connection with all that was
// collected for it.
//
// It holds rows that the owner or the scheduler change. It does not hold what a run writes
// (storage/run), and what health concludes (storage/evidence has its facts). Data comes from
// host/owner and host/schedule, and goes back to them.
package connection
