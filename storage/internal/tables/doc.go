// Package tables has the rows that several rooms of the store read, and the words in them:
// statuses, holders of leases, outcomes.
//
// What lives here has one table or one word, and no rule of what follows from a change of
// it. The rows that one room alone reads live in that room.
package tables
