// Package tables has the rows that several rooms of the store read, and the words in them:
// statuses, holders of leases, outcomes.
//
// It has rows and words that stand for themselves, and no rule about what follows from a
// change. The rows that one room alone reads live in that room.
package tables
