// Package vault seals secrets, so that they can be kept where others may look:
// in the store, in its copies and its backups.
//
// What lives here: one key of this owner (an age X25519 identity), where it is
// kept (a file that only its owner may read, or the keyring of the operating
// system), and sealing with it. A sealed secret carries the connection and the
// field that it is of, so that one put into another's place does not open. What
// does not live here: the sealed secrets, which secrets there are, and who may
// ask for one.
//
// Plain secrets come in from what an owner types and go out to the transport
// that places them; in between they are sealed. Buffers of this package that
// held one are zeroed. Copies that age, the runtime or a caller makes are beyond
// its reach, so this keeps a secret out of sight, not out of the process's
// memory. age draws its randomness from the operating system; there is nothing
// to pass in, since a key from any other source would be a fault.
package vault
