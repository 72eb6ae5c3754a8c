// Package answers lets a program send a request again whose answer it did not get: what the
// request makes is made once (OC-09.1).
//
// It knows hashes of a request, and nothing of HTTP but a status. The answers are in the
// store, so that a restart forgets none.
package answers
