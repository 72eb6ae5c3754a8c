// Package ownerapi is the owner's API over HTTP: /v1/owner, for programs that hold one of
// the owner's tokens (OC-09, OC-10).
//
// One table has the routes (routes.go). The router, the OpenAPI document and its page are made
// of it, so that none of them tells of a route that the others do not have. A
// request passes, in this order: the host's name, the path and its method, the version, the
// token, its scope, the query, the body. Only then is the operation asked for.
//
// It decides nothing about an operation: host/owner does. It takes no cookie but for the pages
// that runs hand over (handoffs.go), which are opened in a browser and by no program, sends no
// CORS header, and puts no secret into an answer but the one that a request has just made.
package ownerapi
