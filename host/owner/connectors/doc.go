// Package connectors holds what an owner does about modules: list and inspect those that
// are installed, accept one for connections, and compare what is installed with what was
// accepted.
package connectors
