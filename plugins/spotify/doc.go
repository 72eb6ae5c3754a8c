// Command spotify collects an owner's Spotify library: playlists, saved tracks, top
// artists and recent plays.
//
// In: Spotify's Web API. Out: one stream for each.
//
// The lists are paged by offset, so they shift when somebody changes them meanwhile. A
// row does not count as removed because one pass missed it: a pass counts when its
// pages agree on the length of the list and as many rows came, and two such passes in a
// row must miss the row (inventory.go). The saved tracks are the one long list. Between
// daily inventories only its beginning is read, down to a known row, and the number of
// tracks is compared: an unexpected number brings the inventory forward (tracks.go).
//
// A full refresh emits everything again. It takes from the earlier cursors which rows
// existed, so that the same two passes find the removed ones.
//
// Every run first asks whose sign-in it is, and the cursors name the account. Another
// account is refused, because the two libraries would be mixed. A full refresh accepts
// it and buries the rows that it does not meet; plays, which are never removed, stay,
// and the run reports that.
//
// Plays are different: Spotify keeps the last fifty and no more. Older plays since the
// last run are lost, and the run reports that (plays.go).
//
// A fingerprint kept for each row (ledger.go) decides whether it is emitted. Popularity
// and the number of followers change every day for every row; they are written when
// something else changes.
//
// The host has the tokens and renews them. Links to the next page are followed only
// within the API, and never twice.
package main
