// Package credential keeps sealed credentials, and remembers which runs could use one that is
// gone.
//
// What lives here: sealed bytes. What does not: the key to them (host/vault).
package credential
