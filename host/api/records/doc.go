// Package records is the resource server over HTTP: the streams that a bearer token shows,
// their records, and what has changed in them (RD-02 to RD-06, RD-10, RD-14, RD-21, RD-23).
//
// A request passes, in this order: the host's name, the path, the method, the version, the
// token, how much of it runs and was asked (limit.go), and the query, of which nothing is passed over (query.go). Only then host/read is
// asked, under the scope that the token stands for (handler.go). An error has the code of the
// protocol, and says nothing of what is outside the scope (refusal.go).
//
// It finds who asks by read.Callers alone, so that it knows no kind of token but the owner's
// (owner.go). It takes no cookie, sends no CORS header, and writes nothing.
package records
