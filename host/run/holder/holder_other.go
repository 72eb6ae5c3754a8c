//go:build !linux

package holder

import (
	"os"
	"strconv"
)

// Self names this process for its leases.
func Self() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return host + ":" + strconv.Itoa(os.Getpid())
}

// Machine names this machine, by its host's name: its id is not known here.
func Machine() string {
	host, err := os.Hostname()
	if err != nil {
		return ""
	}
	return host
}

// Alive always says yes: without a way to judge, a lease runs out by
// itself.
func Alive(string) bool { return true }

// Runs reports whether the process that Self named is this one: of another nothing is
// known.
func Runs(holder string) bool { return holder == Self() }
