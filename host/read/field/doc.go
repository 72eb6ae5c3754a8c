// Package field reads single members out of a record's stored JSON without decoding the
// rest (members.go, project.go), or a part of one that comes in pieces (window.go), knows references to artifacts (blob.go), and makes of a value the bytes by which it is ordered
// (order.go, instant.go).
//
// It is pure. A record that it is given has passed the boundary; of anything else it says
// that it is no object, or leaves a member out.
package field
