package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/collector"
)

// slowAfter is how long a step goes on before it is shown.
const slowAfter = 2 * time.Second

// slowSteps shows the steps of an execution that take their time; of the others
// the end says enough. It is safe for concurrent use.
type slowSteps struct {
	w io.Writer

	mu    sync.Mutex
	timer *time.Timer
	step  int
}

func (s *slowSteps) observe(step collector.Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next()
	mine := s.step
	s.timer = time.AfterFunc(slowAfter, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.step == mine {
			fmt.Fprintln(s.w, output.Clean(step.Text))
		}
	})
}

// end says that the last step is over.
func (s *slowSteps) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next()
}

func (s *slowSteps) next() {
	s.step++
	if s.timer != nil {
		s.timer.Stop()
	}
}
