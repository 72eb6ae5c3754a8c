// Package runs has the commands of past runs. Each parses what was typed, calls an
// operation of host/owner, and shows the result.
package runs
