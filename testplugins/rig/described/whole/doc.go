// Package whole has the OpenAPI document of a host's faces together, as a host that serves
// answers with it, and holds what comes from such a host to it.
//
// It is apart from package described, which the faces' own tests import.
package whole
