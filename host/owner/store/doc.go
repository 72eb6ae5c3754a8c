// Package store holds what an owner does with the whole store: compact it, and copy it
// into a file or to PostgreSQL.
package store
