// Package schedule decides when a connection runs by itself, and runs it then.
//
// What lives here: the rules, which are pure (may it run by itself: eligible.go;
// when is it due: due.go; what failures and source pressure put off: backoff.go,
// cooldown.go; what waits for its owner, and did the owner do it: obstacle.go,
// rejection.go, rests.go, heal.go), and the Scheduler, the one loop that asks them
// and keeps to what they say. What does not: how a run is made (host/run, behind
// Deps.Run), what health an owner is shown (health), and where anything is kept
// (storage).
//
// Facts come in from the store at every pass: settings, runs, refusals, leases,
// due times. Nothing that matters is kept in memory alone, so that a scheduler
// that was killed forgets nothing. Out go due times, the records of what was
// skipped and why, claims of confirming runs, and calls of Deps.Run.
//
// Instants are the wall clock's, which jumps: an instant that lies further
// ahead than anything here would ever put it is not believed.
package schedule
