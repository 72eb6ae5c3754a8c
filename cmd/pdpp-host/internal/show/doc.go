// Package show words what the commands of several nouns show: how a run stands, a
// schedule, a device that feeds a connection. It words what host/owner returns, and
// decides nothing.
package show
