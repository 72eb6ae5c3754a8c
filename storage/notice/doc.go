// Package notice keeps what owners are told of, and by which channels: channels with their
// sealed addresses, episodes that last, what is on its way, and the owner's settings.
//
// It does not decide when somebody is told (host/notify), speak to a channel, nor hold the
// key to what is sealed (host/vault).
package notice
