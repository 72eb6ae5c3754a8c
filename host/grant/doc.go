// Package grant says who may read what: it reads what a client asks for (details.go), holds
// it against what the owner has (resolve.go), says in words what the client would get
// (words.go), and makes of an approved review the document of a grant, and of a document the
// Scope of whoever holds its token (document.go).
//
// It is pure: it knows neither clock nor store. host/grant/desk, below it, keeps requests,
// grants and tokens. No refusal tells a client of anything that it was not granted, but that
// a source, a stream or a field that it named is not there (RD-31.2).
package grant
