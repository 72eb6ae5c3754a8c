package main

import "github.com/pdpp-host/pdpp-host/sdk/fingerprint"

// printMask keeps a fingerprint within the bits of a cursor's number. 0 means "not
// known".
const printMask = fingerprint.Mask48

// format is part of every fingerprint and of every cursor. Change it when records are
// built differently: the next run then emits them anew, and reads again the rows that
// an earlier build could not use.
const format = 1

// printOf sums up the data of a record.
func printOf(data []byte) uint64 { return fingerprint.Formatted48(data, format) }
