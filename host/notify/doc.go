// Package notify tells owners that something needs them: it decides when, writes the text,
// and speaks to a channel: Web Push, e-mail, and the webhooks of well-known services.
//
// Decide is pure: what is known and the time go in, what is to be told comes out. It does not
// judge a connection: whether one is to be pushed is the verdict's word (HL-29). A text names
// a connection, and what to do in the host's own words, and nothing else: no record, no path,
// no word of a connector (OC-19.2).
//
// A Sender reaches the addresses that the owner gave and no other, behind the same wall as a
// connector's requests (host/send/egress). It follows no redirect. Its errors name a host,
// and never a path, which may be a secret. host/owner/notifications has the loop and the
// store.
package notify
