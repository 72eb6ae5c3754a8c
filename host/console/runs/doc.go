// Package runs has the pages of runs: the list, and one run, live while it goes on and with
// all that is kept of it afterwards.
package runs
