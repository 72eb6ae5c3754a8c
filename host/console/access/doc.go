// Package access has the pages on which an owner proves who they are: set-up, sign-in and
// sign-out (OC-03, OC-04).
package access
