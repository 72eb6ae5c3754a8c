// Package access keeps the record of what owners changed, and were refused: the audit
// events. An event is written in the transaction of the change that it tells of.
//
// It holds the events and the context that carries one to a change. It does not hold who
// may do what.
package access
