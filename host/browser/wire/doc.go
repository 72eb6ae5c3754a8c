// Package wire speaks a browser's own protocol (CDP): calls with their answers, and events
// in bounded queues. It alone knows how a call is written; the messages' types are those of
// go-rod's lib/proto, and nothing else of that module is imported.
//
// In: a pipe. Out: answers and events. One goroutine reads, and hands on without waiting for
// anybody. Each call has a deadline and ends with the line. A message that makes no sense, and
// a queue that is full, end the line: the browser has failed, or its owner has.
package wire
