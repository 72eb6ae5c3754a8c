// Package crash proves the host's promises about its own death: it kills real host and
// worker processes with SIGKILL at random moments of a run, runs again, and compares
// the store with one that was never interrupted. It has no code besides its test; the
// number of kills is the flag -crashes.
package crash
