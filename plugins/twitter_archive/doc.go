// Command twitter_archive collects posts and direct messages from the archive that X, once
// Twitter, makes of an account (zip), as it was downloaded, in one granted folder, the root
// "twitter_archive".
//
// In: the newest archive in the folder by the time in its data/manifest.js. Each is a whole
// account, so a newer one supersedes the ones before it, and the others are not read. Out:
// tweets and direct_messages.
//
// A run enumerates: what an earlier archive had and the newest has not was deleted at the
// service, and becomes a tombstone. The list counts as whole only when the archive says that
// it is not a partial one, and every file that its manifest names for the stream was read to
// its end. An archive older than the one collected last is not read, and one of another
// account ends the run.
//
// The files are JavaScript: JSON behind "window.YTD.tweets.part0 =". Numbers stand in them as
// texts. Deleted posts, likes, followers and everything else are not collected.
package main
