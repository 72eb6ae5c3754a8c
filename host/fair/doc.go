// Package fair divides what strangers share, so that none of them can take it from the others.
//
// A bound that strangers can fill is a switch that they can turn. Hence nothing here is a total for which whoever
// comes first is served: each has a share. Shares are by address, by the /64 of one of IPv6, or by
// whatever else a caller counts.
//
//	Limiter   how often one of them may come, whatever the others do
//	Line      the turns of what all of them use: the one that had least of late is next, and of two that had as
//	          much the one that came first
//	GivesWay  a place where all are taken: the oldest of whoever has most goes
//
// Whoever shows a secret that this host gave out passes outside a Line, and is bounded by a Limiter of secrets:
// strangers cannot fill that one.
//
// The memory is bounded: it keeps those that were seen last, and one that is forgotten is as new.
// It knows no HTTP and no store. It asks no clock but the one that it is passed, and waits by the timers of the runtime.
package fair
