// Package credential keeps sealed credentials, and remembers which runs could use one that is
// gone.
//
// It holds sealed bytes. It does not hold the key to them (host/vault).
package credential
