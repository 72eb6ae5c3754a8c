// Package wire is how the JSON APIs of this host speak HTTP: which queries and bodies are
// read, and what an error, a list and a cursor look like (RD-03 to RD-07).
//
// It reads everything or refuses: an unknown parameter, a name that stands twice and a
// number that is none are refused, and nothing takes the place of what could not be read.
// It knows no route, no caller and no operation.
package wire
