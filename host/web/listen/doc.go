// Package listen opens the address of a server that other machines may reach: only this
// machine itself may be spoken to in the clear (listen.go), a certificate is read again when
// it is renewed (certificate.go), and connections are bounded in a way that silent ones lock
// nobody out (connections.go).
//
// It knows no request: host/api says on which connection a credential was shown.
package listen
