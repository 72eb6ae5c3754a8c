// Package access keeps who may speak for the owner of this host, and what owners changed.
//
// The owner's password, sessions and tokens are here, each as a hash, and the public halves
// of the owner's passkeys. The audit events say what was changed, or refused; an event is
// written in the transaction of the change that it tells of, by a context that carries it
// there. The answers are what requests were answered that a program may send again.
//
// The clients of readers are here, what they ask an owner for, and the grants that came of it
// with their tokens. An approval is one transaction, which looks again at all that it rests on.
// So is what a code or a refresh token leads to (redeem.go). The disclosures say what readers
// were told, without what stood in it.
//
// It does not decide whether a password or a secret is right: host/owner/access does, and
// host/grant what a grant shows.
package access
