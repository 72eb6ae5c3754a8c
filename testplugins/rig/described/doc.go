// Package described holds the answers of the host's HTTP faces to their OpenAPI document, with
// a library that did not write it.
//
// In: the document, and the requests of a test with their answers. Out: a failure of the test
// for each answer that the document does not describe. It makes no request.
package described
