// Package holder names the process that holds a lease, and judges whether a
// named process still runs, so that a lease left behind by a crash is taken
// over at once and not when it runs out.
//
// In: a name that Self returned, from the store. Out: whether that holder is
// alive; in doubt it is. It reads the system's process table and nothing else.
package holder
