//go:build !linux

package postgres

import "syscall"

// unanswered leaves it to the keep-alive probes.
func unanswered(string, string, syscall.RawConn) error { return nil }
