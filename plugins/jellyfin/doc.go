// Command jellyfin collects what a user of a Jellyfin server has: libraries, the items in them
// with what the user has played and marked, and playlists.
//
// In: the API of the owner's own server, at the address in the option base_url. Out: the
// streams libraries, items and playlists.
//
// A run reads every list to its end, in the order in which items came to the server: the host
// writes the rows that have changed, and deletes those that are gone. The pages are numbered, so
// they shift when an item comes or goes meanwhile: an item is gone when two readings in a row have
// not met it (sdk/api, Settle).
//
// An API key of Jellyfin is no user's, so the option user names the one whose data is meant
// where the server has several.
//
// Left out: collections and live television, which show items of other libraries again.
package main
