// Package records has the commands that read what was collected: lists, single records
// and exports. Each parses what was typed, reads through host/owner, and writes.
package records
