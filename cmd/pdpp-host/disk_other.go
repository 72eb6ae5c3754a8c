//go:build !linux && !darwin

package main

// freeBytes says that the free space is unknown.
func freeBytes(string) (uint64, bool) { return 0, false }
