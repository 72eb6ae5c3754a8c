// Package wire frames what host and worker process say to each other over the
// worker's standard input and output: a little-endian length, a kind, an id,
// and the payload.
//
// The host treats the worker as hostile: a Reader refuses a kind it was not
// told about and a payload above its kind's limit before it allocates. The
// pipe itself is the bounded window behind which one-way frames (emit, log,
// output, progress) run ahead of the host: a full pipe blocks the guest.
package wire
