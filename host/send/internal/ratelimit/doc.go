// Package ratelimit reads the headers in which a provider reports its rate limits: the
// RateLimit field of the IETF draft in its versions, the families of X-RateLimit
// headers, and headers of single providers.
//
// An answer's headers go in, windows come out: how many requests remain, in which
// time, until when. The delays that follow from a window are in host/send.
package ratelimit
