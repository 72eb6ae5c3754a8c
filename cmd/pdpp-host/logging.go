package main

import (
	"errors"
	"io"
	"strings"
	"sync"
)

// swapWriter lets a run's display take the log lines while it draws. It is safe
// for concurrent use.
type swapWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (s *swapWriter) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.to.Write(p)
}

func (s *swapWriter) swap(to io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.to = to
}

// chain writes an error with everything that it wraps, for the debug log.
func chain(err error) string {
	var parts []string
	for e := err; e != nil; e = errors.Unwrap(e) {
		if text := e.Error(); len(parts) == 0 || parts[len(parts)-1] != text {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " <- ")
}
