// Package store has the commands that look after the file that holds everything. Each
// calls an operation of host/owner and shows the result.
package store
