// Package version has the command that prints the version. It asks for no operation:
// all of it is in the program.
package version
