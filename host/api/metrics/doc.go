// Package metrics answers GET /metrics in the text form of Prometheus (OC-11): what a server
// does, in figures.
//
// The table of families.go has every name that is served; docs/api.md shows it. A label's
// values are words of this program, patterns of its routes, and the names of providers, of
// which there is a bounded number: none holds an account, a key, a path of the owner's or an
// address. The figures are handed in; this package keeps the time that requests took, and
// nothing else. admit.go says who may ask.
package metrics
