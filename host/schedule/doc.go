// Package schedule decides when a connection runs automatically, and runs it.
//
// It holds the rules, which are pure (may it run automatically: eligible.go; when is
// it due: due.go; how long do failures and source pressure delay it: backoff.go,
// cooldown.go; what does the owner have to do, and was it done: obstacle.go,
// rejection.go, elsewhere.go, heal.go), and the Scheduler, the one loop that applies
// them. Making a run belongs to host/run (behind Deps.Run), the owner's view of health
// to health, and storing to storage.
//
// Every pass examines the connections that the store says are due for it (examine.go),
// and reads their facts: settings, runs, refusals, leases, due times. Nothing important
// is kept only in memory, so a scheduler that was killed forgets nothing. It writes due
// times, the records of skipped connections with reasons, and claims of confirming
// runs, and calls Deps.Run.
//
// Times come from the wall clock, which may jump: a time further ahead than this
// package would ever set is ignored.
package schedule
