// Package notifications has what an owner can do about notifications: list, add, test and
// remove channels, and say when nobody is to be told. Watch is the loop that `serve` runs
// beside its work: it looks at what has changed, by number, and sends what host/notify
// decides (OC-19).
//
// Nothing here judges a connection: health/verdict says whether its owner is to be reached
// (ShouldPush). The store keeps the episodes, the notices on their way, and the last look, so that
// a restart sends nothing again. A channel's address is sealed, and never shown: a host or a
// mailbox of it is.
package notifications
