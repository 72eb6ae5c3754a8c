// Package logging makes the log of a command, on standard error, as its flags ask.
package logging
