//go:build !linux

package collector

// volatile cannot be told here.
func volatile(string) bool { return false }
