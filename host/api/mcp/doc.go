// Package mcp lets a model read what a grant shows, by the Model Context Protocol (RD-58,
// RD-59): six tools that read, and nothing that writes. tools.go has them with their
// arguments. A call becomes a question of the readers' routes (call.go), so that its answer
// and its refusals are those of /v1, under the same scope, and no argument widens it. answer.go
// writes the answer for a model: records stand in it as data, after a sentence that says so,
// and nowhere else. bounds.go bounds the answer, and window.go has the parts of long values. id.go writes and reads the ids of records.
//
// http.go serves it at /mcp, and knows nobody between two requests; stdio.go on the standard input
// and output of `pdpp-host mcp`. It alone imports the protocol's SDK.
package mcp
