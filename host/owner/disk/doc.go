// Package disk says how much room a disk has left.
package disk
