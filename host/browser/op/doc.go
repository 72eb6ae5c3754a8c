// Package op carries out the operations of a connector on the pages of a browser (abi.OpBrowser,
// BR-10): it reads a request, checks it against what its run may do, does it, and has an answer.
//
// While the owner is signed in (sign_in.begin to sign_in.end, BR-13) a connector says where to
// click and which credential goes where, and reads nothing: the host types what is secret.
// HandOver gives that window to the owner, and the connector does nothing there meanwhile (BR-15).
package op
