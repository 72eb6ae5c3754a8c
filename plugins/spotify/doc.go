// Command spotify collects an owner's Spotify library: playlists, saved tracks,
// top artists and recent plays.
//
// In: Spotify's Web API. Out: one stream for each.
//
// The lists are paged by offset, so that they shift when somebody works in them
// meanwhile. Nothing is held to be gone because one pass did not meet it: a
// pass counts when its pages agree on how long the list is and that many rows
// came, and two such passes in a row must miss a row (inventory.go). The saved
// tracks are the one long list. Between daily inventories only their beginning
// is read, until it is known, and the number of tracks is compared: when it is
// another than expected, the inventory is done at once (tracks.go).
//
// A full refresh emits everything again. Of the cursors before it, it keeps which
// rows there were, so that those that are gone are found by the same two passes.
//
// Every run asks first whose sign-in it is, and the cursors name the account: one
// of another account is refused, because the two libraries would be mixed. A full
// refresh takes it and buries what it does not meet; plays, which are never taken
// back, stay, and the run says so.
//
// Plays are different: Spotify keeps the last fifty and no more. What was
// played before them since the last run is lost, and the run says so (plays.go).
//
// What is emitted is decided by a fingerprint kept for each row (ledger.go).
// Popularity and the number of followers change every day for every row; they
// are written when something else changes.
//
// The host holds the tokens and renews them. Links to the next page are
// followed only where the API itself is, and never twice.
package main
