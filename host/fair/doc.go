// Package fair divides what strangers share, so that none of them can take it from the others.
//
// A bound that strangers can fill is a switch that they can turn. Hence nothing here is a total for which whoever
// comes first is served: each has a share. Shares are by address, by the /64 of one of IPv6, or by
// whatever else a caller counts.
//
//	Limiter   how often one of them may come, whatever the others do
//	Line      the turns of what all of them use: the one that had least of late is next, and of two that had as
//	          much the one that came first
//
// A request with a secret that this host gave out passes outside a Line. A Limiter of secrets bounds it, which
// strangers cannot fill.
//
// The memory is bounded: it keeps those that were seen last, and one that is forgotten is as new.
// It knows no HTTP and no store. It asks no clock but the one that it is passed, and waits by the timers of the runtime.
package fair
