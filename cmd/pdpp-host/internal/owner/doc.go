// Package owner has the commands of the owner's own access: the set-up link, the browsers
// that are signed in, and the passkeys. Each parses what was typed, calls an operation of host/owner/access,
// and shows the result.
package owner
