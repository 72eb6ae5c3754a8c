// Package records has the commands that read what was collected: lists, single records
// and exports, and those that delete a record or let it come again. Each parses what was
// typed, asks host/owner, and writes.
package records
