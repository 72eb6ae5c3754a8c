// Package pipe frames the messages between the host and a browser: each is followed by a
// zero byte, as --remote-debugging-pipe has them.
//
// In: the ends of two pipes, and messages to send. Out: the messages of the browser, whole
// and bounded in size. The package knows nothing of what a message says.
package pipe
