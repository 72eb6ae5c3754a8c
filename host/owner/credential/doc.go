// Package credential has the credentials of connections: those that are stored,
// sealed by host/vault, and those of the environment that a connector may read. It
// gives them to a run, replaces them, and tells whether an owner has renewed what a
// run was refused for. It shows no value to anybody.
package credential
