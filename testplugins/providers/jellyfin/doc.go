// Package jellyfin simulates the part of a Jellyfin server's API that lists what a user has:
// /Users, /UserViews (the libraries) and /Items, as the public documentation of Jellyfin 10.9
// and later describes them.
//
// It also simulates: pages by StartIndex and Limit, which say how long the list is
// (TotalRecordCount) and shift when an item comes or goes; parameters whose names are read in
// any case; the two headers for a key, X-Emby-Token and Authorization with the scheme
// MediaBrowser, of which the first can be switched off; the problem objects. Methods change the
// items. In: requests. Out: answers, and the list of requests for assertions.
package jellyfin
