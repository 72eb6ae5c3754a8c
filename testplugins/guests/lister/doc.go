//go:build wasip1

// Command lister is a guest that enumerates what list.json in its folder holds: things as a
// whole, and shelved in the parts p and q, which may share objects. Its pages are small and
// each is a slice, so that a kill meets it in the middle of an enumeration.
package main
