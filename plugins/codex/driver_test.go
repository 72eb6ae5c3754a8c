//go:build !wasip1

package main

// The tests run on the host only: SQLite itself has no build for a guest.
import _ "modernc.org/sqlite"
