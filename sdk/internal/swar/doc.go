// Package swar finds the end of plain text eight bytes at a time.
//
// It is the inner loop of reading and writing JSON strings. A wasm guest has no vector
// instructions that Go would use, so a word is the widest step.
//
// Here: three scans over bytes. Not here: the meaning of the bytes.
package swar
