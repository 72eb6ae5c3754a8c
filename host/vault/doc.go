// Package vault seals secrets, so that they can be stored where others may read: in
// the store, in its copies and its backups.
//
// It holds one key of this owner (an age X25519 identity), finds or creates it (in a
// file that only its owner may read, or the keyring of the operating system), and
// seals with it. A sealed secret contains its connection and its field, so it does not
// open in another's place. The package does not store the sealed secrets, does not
// know which secrets exist, and does not decide who may ask for one.
//
// Plain secrets come from the owner's input and go to the transport that uses them; in
// between they are sealed. Buffers of this package that held one are zeroed. Copies
// that age, the runtime or a caller makes are beyond its reach, so it keeps a secret
// out of sight, not out of the process's memory. age takes its randomness from the
// operating system; it cannot be passed in, since a key from any other source would be
// a fault.
package vault
