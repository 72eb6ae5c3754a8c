// Package profile is what an enrollment left on a machine: the address and the credential
// of one lane, in a file that its owner alone can read, and where such files and the lane's
// outbox lie (collector contract, section 7.4).
//
// It reads the environment and the owner's folders, and writes profiles. It speaks to no
// host and opens no outbox.
package profile
