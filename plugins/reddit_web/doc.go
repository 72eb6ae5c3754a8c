// Command reddit_web collects what a person wrote, saved, voted on and hid at Reddit, by Reddit's
// site.
//
// In: the pages of old.reddit.com in the host's browser, on which the host signs the owner in,
// and the lists as JSON, which a page fetches with its own cookies. Out: the streams of
// plugins/internal/redditlist, which says how they are read. README.md says when to take
// plugins/reddit instead, and what only a real account can show.
package main
