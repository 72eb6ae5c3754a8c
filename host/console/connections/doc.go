// Package connections has the pages of one connection: how it is and what to do about it, its
// credentials, its module, its folders and options, its removal. Each form does one operation.
package connections
