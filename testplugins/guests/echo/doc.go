//go:build wasip1

// Command echo is a connector that has no shame: it asks each of the addresses
// in the option "paths", with its credential, and emits every byte of every
// answer. At the end it looks through its whole memory for the bytes of the
// options "inverted" (hexadecimal, each byte inverted, so that giving them does
// not put them there) and "control", and tells how often it found them.
package main
