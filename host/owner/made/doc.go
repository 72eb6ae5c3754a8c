// Package made has what an owner can do about what was made in their name: list the tokens, passkeys, channels,
// grants, devices and sessions that were made since a time, by whom and from where as the audit knows, and end
// all or some of it.
//
// Each thing ends by the operation of its own room, which leaves its audit event.
package made
