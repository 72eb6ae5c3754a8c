// Command twitter_archive collects posts and direct messages from the archive that X, once
// Twitter, makes of an account (zip), as it was downloaded or unpacked, in one granted folder, the
// root "twitter_archive".
//
// In: every archive in the folder of one account, the one collected so far if there is one, the newest first, by what
// each says of itself, or else by the day in its name or its newest post (choice.go). Of a post that several have the
// newest one's record stays, and what an older one alone has is kept. An archive that names no account
// is taken for that account's. Sources of one account and time are the parts of one archive (export.go).
// Out: tweets, direct_messages, and coverage_diagnostics.
//
// Archives of every year are read: with a folder data since 2019, in the root before, and of 2012 to
// 2017 with a file for each month, or a table alone. A file is known by what it assigns,
// "window.YTD.tweets.part0 =", and one of an unknown kind by its first element (kinds.go). The whole
// text of a long post comes from note-tweet.js (notes.go); a text that is cut is marked.
//
// A run enumerates: what no archive in the folder has any more becomes a tombstone. The list counts as
// whole only when the newest archive says that it is not a partial one, and every file that an archive
// names for the stream was read to its end, and nothing else in the folder is that could not be read and may be an archive
// or a part of one: hurt_test.go has the cases. Where the newest archive is gone, the older ones are not read again, and
// nothing is deleted. An archive of another account is not read; where there are no others, it ends the run, unless that
// is a full refresh.
//
// Numbers stand in the files as texts. Deleted posts, likes, followers and everything else are not
// collected, and coverage_diagnostics says so. A file that nothing recognizes is named.
package main
