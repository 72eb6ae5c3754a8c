// Package disk says how much room a disk has left, and keeps some of it in reserve: a file
// beside the store that is given back when the disk is full, so that what makes room, such
// as a deletion, can be written.
package disk
