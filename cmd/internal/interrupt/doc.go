// Package interrupt turns the signals that stop a command into the end of its
// context. It knows no command: what a stop does besides, the command says.
package interrupt
