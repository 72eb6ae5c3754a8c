// Package web is what every face over HTTP shares: which names of the host are answered to,
// who asks, whether a change was sent by the host's own page, and the headers that confine a
// browser (OC-03.1, OC-04, OC-05, OC-06, OC-07).
//
// A Guard stands before the faces. It turns a cookie or a bearer token into a Caller of
// host/owner/access, which a face finds in the request's context. It knows no page and no
// route, and decides nothing about an operation but whether somebody is signed in.
package web
