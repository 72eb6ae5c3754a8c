// Package unread holds what an owner sees and says of the files of a connection's folders that
// its last run did not read (AC-03).
//
// Here: the list of them, and the owner's word that some are not for the connection. Not here:
// how they are found (host/plugin), and what the verdict makes of them (health).
package unread
