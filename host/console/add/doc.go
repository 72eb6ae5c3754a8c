// Package add has the way to a new connection: choose a connector, see what it asks for and
// allow that, give it what it signs in with, watch the first run.
package add
