// Package unread has the operations on the files of a connection's folders that its last run did
// not read: an owner sees them, and says which are not for the connection (AC-03).
//
// Here: which connection is meant, and the audit. Not here: what the list is and how a change is
// made (host/leftover).
package unread
