package zstd

import (
	"errors"
	"strconv"
)

// The kinds of damage, for errors.Is.
var (
	// ErrCut: the input ends within a frame, or in front of the first one.
	ErrCut = errors.New("the compressed data is cut off")
	// ErrDamaged: the input is not what a Zstandard encoder writes.
	ErrDamaged = errors.New("the compressed data is damaged")
	// ErrChecksum: the content of a frame, which was given, is not what was compressed.
	ErrChecksum = errors.New("the checksum of the compressed data does not match")
	// ErrUnsupported: a frame that needs more memory than allowed, or a dictionary.
	ErrUnsupported = errors.New("the compressed data needs what this reader does not have")
)

// Error is the end of an input that can't be unpacked further.
type Error struct {
	Kind   error  // one of the kinds
	Offset int64  // in the input, in bytes: where the block or the frame begins
	Reason string // what was found there
}

// Error implements error.
func (e *Error) Error() string {
	return e.Kind.Error() + " at byte " + strconv.FormatInt(e.Offset, 10) + ": " + e.Reason
}

// Unwrap returns the kind.
func (e *Error) Unwrap() error { return e.Kind }

// fault is an Error whose place is not known yet.
type fault struct {
	kind   error
	reason string
}

func damaged(reason string) *fault { return &fault{ErrDamaged, reason} }

// Damage reports whether the input itself is at fault, rather than reading it.
func (e *Error) Damage() bool {
	return e.Kind == ErrCut || e.Kind == ErrDamaged || e.Kind == ErrChecksum || e.Kind == ErrUnsupported //nolint:errorlint // the kinds themselves
}
