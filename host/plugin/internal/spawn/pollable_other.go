//go:build !unix

package spawn

import "os"

// Pollable returns f: the poller of this system does not support pipes.
func Pollable(f *os.File) *os.File { return f }
