// Package records is the resource server over HTTP: the streams that a bearer token shows,
// what is declared of them, their records, what has changed in them, searches, aggregates and blobs
// (RD-02 to RD-06, RD-10 to RD-12, RD-14, RD-21 to RD-23, RD-26, RD-27, RD-29). routes.go has the table of routes, from which
// the document of the API is made as well.
//
// A request passes, in this order: the host's name, the path, the method, the version, the
// token, how much of it runs and was asked (limit.go), and the query, of which nothing is passed over (query.go). Only then host/read is
// asked, under the scope that the token stands for (handler.go). An error has the code of the
// protocol, and says nothing of what is outside the scope (refusal.go).
//
// It finds who asks by read.Callers alone, so that it knows no kind of token but the owner's
// (owner.go). It takes no cookie, sends no CORS header, and changes nothing but that an owner deletes
// a record (erase.go).
package records
