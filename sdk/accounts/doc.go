// Package accounts says what became of what the source gave: of each file of a granted folder,
// of the entries of archives, and of the items that were met for each stream (AC-02, AC-04,
// AC-05 of the contract on accounting).
//
// Here: Books, which a connector opens once in a run and which send themselves (books.go);
// Items, the counts of one stream (items.go). Not here: reading files (packages files,
// exports and archive), and what is not collected and why, which is sdk.Host.Skip.
//
// In: one word for each file and one count for each item, from the place where a connector
// decides it; the records that are emitted count themselves. Out: ACCOUNT messages, in batches, the last of them before DONE.
//
// A file of which nothing is said, and which the host did not see read to its end, makes the
// connection one that is not healthy. A connector that says a word of one file says one of
// each.
package accounts
