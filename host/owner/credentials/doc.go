// Package credentials holds how an owner stores and forgets the credentials of a connection.
// host/owner lists the stored credentials with the connection.
package credentials
