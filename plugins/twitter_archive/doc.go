// Command twitter_archive collects posts and direct messages from the archive that X, once
// Twitter, makes of an account (zip), as it was downloaded or unpacked, in one granted folder, the
// root "twitter_archive".
//
// In: the newest archive in the folder, of the account collected so far if there is one, by what it says of itself, or else by the day in its name
// or its newest post. Each is a whole account, so a newer one supersedes the ones before it, and
// the others are not read, and named (choice.go). Sources of one account and time are the parts of one archive (export.go).
// Out: tweets, direct_messages, and coverage_diagnostics.
//
// Archives of every year are read: with a folder data since 2019, in the root before, and of 2012 to
// 2017 with a file for each month, or a table alone. A file is known by what it assigns,
// "window.YTD.tweets.part0 =", and one of an unknown kind by its first element (kinds.go). The whole
// text of a long post comes from note-tweet.js (notes.go); a text that is cut is marked.
//
// A run enumerates: what an earlier archive had and the newest has not was deleted at the
// service, and becomes a tombstone. The list counts as whole only when the archive says that
// it is not a partial one, and every file that its manifest names for the stream was read to
// its end. An archive older than the one collected last is not read, nor one of another
// account; one that is alone in the folder ends the run.
//
// Numbers stand in the files as texts. Deleted posts, likes, followers and everything else are not
// collected, and coverage_diagnostics says so. A file that nothing recognizes is named.
package main
