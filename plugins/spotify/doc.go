// Command spotify collects an owner's Spotify library: playlists, saved tracks, top
// artists and recent plays.
//
// In: Spotify's Web API. Out: one stream for each.
//
// The lists are paged by offset, so they shift when somebody changes them meanwhile. They
// are enumerations, and a row counts as removed when two exact readings in a row have
// missed it (api.Settle). The saved tracks are the one long list. Between daily inventories
// only its beginning is read, down to a known row, and the number of tracks is compared: an
// unexpected number brings the inventory forward (tracks.go).
//
// Every run first asks whose sign-in it is, and the cursors name the account. Another
// account is refused, because the two libraries would be mixed. A full refresh accepts
// it and buries the rows that it does not meet, more than half of the library at once only
// with the owner's word; plays, which are never removed, stay, and the run reports that.
//
// A saved track that Spotify serves as null is no gap: its record stays, and the others are
// compared as ever (hollow.go).
//
// Plays are different: Spotify keeps the last fifty and no more. Older plays since the
// last run are lost, and the run reports that (plays.go).
//
// Popularity and the number of followers change every day for every row; they are written
// when something else changes. So the cursor keeps a fingerprint of each row that has them.
//
// The host has the tokens and renews them. Links to the next page are followed only
// within the API, and never twice.
package main
