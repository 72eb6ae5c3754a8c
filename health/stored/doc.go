// Package stored reads the document that the store keeps of a connection, and makes
// evidence of it (evidence.go): runs, gaps, pressure, holds, credentials, devices and the
// coverage of each stream, as of one moment.
//
// It has the document's types and the conclusions from them and the moment. The conditions
// and the snapshot live in health, and storage/evidence changes the document with each
// fact. The package is pure: no I/O, no clock, no randomness.
package stored
