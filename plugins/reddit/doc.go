// Command reddit collects what a person wrote, saved, voted on and hid at Reddit.
//
// In: Reddit's API, with OAuth2. Out: the streams of plugins/internal/redditlist, which says how
// they are read. Owners without an app at Reddit take plugins/reddit_web.
package main
