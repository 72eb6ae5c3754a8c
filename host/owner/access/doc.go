// Package access has the operations by which the owner of a host proves who they are: the
// set-up link, the password, passkeys, sessions of browsers, and tokens of programs (OC-03,
// OC-04, OC-06). It decides whether a secret is right, and nothing of what HTTP carries it in.
//
// A secret leaves it once, in the result of the operation that made it; the store keeps a
// hash (RD-48). A Caller asks for operations over HTTP; its method Allows alone decides
// whether a scope is enough.
package access
