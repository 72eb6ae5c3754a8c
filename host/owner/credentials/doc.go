// Package credentials holds how an owner stores and forgets the credentials of a
// connection. What is stored is listed by host/owner, with the connection.
package credentials
