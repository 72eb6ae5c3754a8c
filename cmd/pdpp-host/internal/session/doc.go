// Package session is one invocation of pdpp-host as every noun's commands get it: its
// configuration, its store and its engine, opened when a command asks for them, and the
// words that commands share.
//
// A noun's folder parses what was typed, calls an operation of host/owner, and shows
// the result with the session's Printer. The session wires the ports of host/owner; it
// decides nothing.
package session
