// Package mbox reads a mailbox file message by message, as a stream, in memory for one
// header.
//
// Here: Reader (reader.go), and the decoding of header fields: encoded words (RFC 2047),
// addresses and dates (RFC 5322). Not here: bodies. They pass unread, but for their length
// and whether a part calls itself an attachment.
//
// In: a stream that nobody vouches for, in the form that mail programs and Google's
// exports write: each message behind an empty line, and a line that begins with "From " and has a
// time in it; or behind a whole line of that kind, which two fields of a header follow. A line of
// a body that begins with "From " and is neither does not part two messages. Out:
// texts in valid UTF-8. A field above FieldBytes is cut, as is a header above
// HeaderBytes, and Cut says so.
//
// The standard library's net/mail and mime link the network, and hold a whole message.
package mbox
