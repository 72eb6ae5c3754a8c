// Package redditlist collects what a person wrote, saved, voted on and hid at Reddit: the streams
// submitted, comments, saved, upvoted, downvoted and hidden. Reddit's API and its site answer
// with the same lists, so the connectors of both are made of it. A record's key is Reddit's name
// of the thing over all kinds, such as t3_15bfi0, because a post and a comment may have the same
// id.
//
// Each run reads each list from its beginning to its end, and the host deletes what a whole
// list no longer has. Reddit pages by the last entry: when that entry leaves the list
// meanwhile, the next page is empty. So something is gone when two readings in a row have not
// met it (sdk/api, Settle). Reddit lists the newest thousand entries and no more: a list as
// long as that is not whole, so nothing of it is deleted, and the run reports it.
//
// Scores and numbers of replies change all the time. They are written when something else of
// the record changes; the cursor has a fingerprint of each entry for that, a thousand at most.
//
// The lists are read in the order in which they were last read to their end, the oldest first,
// so that an owner's bound on requests leaves none out for good.
//
// Left out: fetched_at, because it would make every record new in every run; the host knows
// when it got one. The public shapes have it.
package redditlist
