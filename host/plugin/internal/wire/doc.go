// Package wire frames the messages between host and worker process on the worker's
// standard input and output: a little-endian length, a kind, an id, and the payload.
//
// The host treats the worker as hostile: a Reader refuses an unexpected kind and a
// payload above its kind's limit before it allocates. The pipe itself bounds how far
// one-way frames (emit, log, output, progress) run ahead of the host: a full pipe
// blocks the guest.
package wire
