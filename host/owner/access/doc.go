// Package access has the operations by which the owner of a host proves who they are: the
// set-up link, the password, sessions of browsers, and tokens of programs (OC-03, OC-04,
// OC-06). It decides whether a secret is right, and nothing of what HTTP carries it in.
//
// A secret leaves it once, in the result of the operation that made it; the store keeps a
// hash (RD-48). Who asks is a Caller, and Allows is the one place where a scope is held
// against an operation.
package access
