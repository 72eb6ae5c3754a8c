// Package crash proves the host's promises about its own death and that of its database:
// it kills real host and worker processes, and on PostgreSQL sessions and backends, at
// random moments of a run, runs again, and compares the store with one that was never
// interrupted. It has no code besides its tests; the number of kills is the flag -crashes.
package crash
