// Command google_takeout collects from the archives that Google Takeout makes (zip or tgz),
// as they were downloaded or unpacked, in one granted folder, the root "google_takeout".
//
// In: every archive in the folder, and what lies there unpacked, the older ones first, by the times in their names or else
// of their files: a newer one has the last word on a record that two of them have. Out:
// location_history, youtube_watch_history, search_history and photos (their particulars, not
// the pictures) from JSON, mail_messages from MBOX (headers, not the text),
// youtube_subscriptions from CSV, and coverage_diagnostics.
//
// Files are known by their contents, because Takeout names folders and files in the language
// of the account: kinds.go decides what a file is, and rules.go which ones are for no stream. An
// activity that was exported as HTML and a timeline as a phone keeps it are not read, and a run names
// them. So does it with a file that nothing recognizes.
//
// Nothing is ever deleted: an export has what its owner ticked, and a history what its
// retention left, so a record that the newest export lacks may exist all the same.
//
// A cursor remembers each archive by name, size and time, and the place in the one at hand.
// One of which the disk fails is read again by the next run.
package main
