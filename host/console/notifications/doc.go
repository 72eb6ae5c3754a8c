// Package notifications has the page of the ways by which an owner is told what needs them:
// the channels with their states, and when they are used. No page shows an address again: a
// host or a mailbox of it stands there.
package notifications
