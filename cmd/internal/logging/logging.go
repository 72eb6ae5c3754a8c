package logging

import (
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"

	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
)

// New returns a logger as --log-level and --log-format ask. A later change of at changes the
// logger's level.
func New(w io.Writer, at *slog.LevelVar, level, format string) (*slog.Logger, error) {
	if err := at.UnmarshalText([]byte(level)); err != nil {
		return nil, syntax.Usage("--log-level is none of debug, info, warn, error", "leave it out for warn")
	}
	options := &slog.HandlerOptions{Level: at}
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(w, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, options)), nil
	default:
		return nil, syntax.Usage("--log-format is neither text nor json", "leave it out for text")
	}
}

// Writer is a writer that can be swapped, so that a run's display takes the log
// lines while it draws. It is safe for concurrent use.
type Writer struct {
	mu sync.Mutex
	to io.Writer
}

// To returns a Writer to w.
func To(w io.Writer) *Writer { return &Writer{to: w} }

func (s *Writer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.to.Write(p)
}

// Swap sends what follows elsewhere.
func (s *Writer) Swap(to io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.to = to
}

// Chain writes an error with everything that it wraps, for the debug log.
func Chain(err error) string {
	var parts []string
	for e := err; e != nil; e = errors.Unwrap(e) {
		if text := e.Error(); len(parts) == 0 || parts[len(parts)-1] != text {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " <- ")
}
