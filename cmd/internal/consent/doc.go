// Package consent shows an owner what a module asks for, and asks for the owner's word
// on a terminal.
//
// It knows no flags and no store: host/owner/modules words the terms and keeps what is
// accepted, and host/run keeps a run to that.
package consent
