//go:build !unix

package plugin

import "os"

// pollable returns f: the poller of this system does not take pipes.
func pollable(f *os.File) *os.File { return f }
