package guest

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// maxUndrained is the maximum number of unread answers. Above it submit is refused, so
// that a guest that never reads cannot fill the worker.
const maxUndrained = abi.MaxInFlight

// requests holds a guest's requests. Handles count up from 1 and are never used twice.
type requests struct {
	mu       sync.Mutex
	last     int32              // the last handle that was assigned
	open     map[int32]*request // unanswered or undrained
	ready    []int32            // answered, and not yet returned by wait
	awaited  int                // unanswered
	answered chan struct{}      // capacity 1: something became ready
	ordered  bool               // an answer is readable only after wait has returned it
}

type request struct {
	arrived  bool
	answered bool   // and may be read
	rest     []byte // the unread part of the answer
}

func (q *requests) init() {
	q.open = map[int32]*request{}
	q.answered = make(chan struct{}, 1)
}

// newHandle assigns the next handle, or refuses.
func (q *requests) newHandle() (int32, *Refused) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.awaited >= abi.MaxInFlight:
		return 0, refuse(abi.CodeTooManyInFlight,
			fmt.Sprintf("%d requests are in flight; wait for one first", q.awaited))
	case len(q.open)-q.awaited >= maxUndrained || q.last == math.MaxInt32:
		return 0, refuse(abi.CodeTooManyInFlight,
			fmt.Sprintf("%d answers were not read; read them first", len(q.open)-q.awaited))
	}
	q.last++
	q.open[q.last] = &request{}
	q.awaited++
	return q.last, nil
}

// drop removes a handle whose request was refused.
func (q *requests) drop(handle int32) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if r := q.open[handle]; r != nil && !r.arrived {
		delete(q.open, handle)
		q.awaited--
	}
}

func (q *requests) answer(handle int32, answer []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	r := q.open[handle]
	if r == nil || r.arrived {
		return
	}
	r.arrived, r.rest = true, answer
	if !q.ordered {
		q.makeReadable(r)
	}
	q.ready = append(q.ready, handle)
	select {
	case q.answered <- struct{}{}:
	default:
	}
}

// makeReadable makes an answer readable by the guest. The caller holds q.mu.
func (q *requests) makeReadable(r *request) {
	r.answered = true
	q.awaited--
}

// next returns the current result of wait, and whether there is nothing to wait for.
func (q *requests) next() (result int64, final bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.ready) > 0 {
		h := q.ready[0]
		q.ready = q.ready[1:]
		var n int
		if r := q.open[h]; r != nil { // read may have drained it already
			if n = len(r.rest); !r.answered {
				q.makeReadable(r)
			}
		}
		return int64(h)<<32 | int64(uint32(n)), true
	}
	if q.awaited == 0 {
		return -1, true
	}
	return 0, false
}

// wait blocks until a request is answered, timeoutMS have passed (0: does not block;
// negative: no limit), or a stop was requested. A deterministic guest has no timeout,
// because no time passes while it blocks.
func (s *Session) wait(timeoutMS int64) int64 {
	var timeout <-chan time.Time
	if s.fixed != nil {
		timeoutMS = -1
	}
	if timeoutMS > 0 {
		t := time.NewTimer(time.Duration(timeoutMS) * time.Millisecond)
		defer t.Stop()
		timeout = t.C
	}
	for {
		if result, final := s.requests.next(); final || timeoutMS == 0 || s.stopped.Load() {
			if s.fixed != nil && result > 0 {
				s.fixed.advance(int64(AnswerStep))
			}
			return result
		}
		select {
		case <-s.requests.answered:
		case <-s.stop:
		case <-timeout:
			timeoutMS = 0
		case <-s.kill:
			panic(errUnwind)
		}
	}
}

// submit starts a request and returns its handle, or abi.ResultRefused.
func (s *Session) submit(op abi.Operation, request []byte) int32 {
	handle, refused := s.requests.newHandle()
	if refused != nil {
		return s.refuse(refused)
	}
	// The answer may arrive before Submit returns.
	if err := s.sink.Submit(handle, op, request); err != nil {
		s.requests.drop(handle)
		return s.result(err)
	}
	return handle
}

// part returns up to limit bytes of an answer and consumes them. A drained handle
// remains readable as empty; an unknown or unanswered handle is refused.
func (s *Session) part(handle int32, limit int) ([]byte, *Refused) {
	q := &s.requests
	q.mu.Lock()
	defer q.mu.Unlock()
	r := q.open[handle]
	switch {
	case handle < 1 || handle > q.last:
		return nil, refuse(abi.CodeHandleUnknown, fmt.Sprintf("handle %d does not exist", handle))
	case r == nil:
		return nil, nil
	case !r.answered:
		return nil, refuse(abi.CodeHandleUnknown, fmt.Sprintf("handle %d is not answered yet", handle))
	}
	p := r.rest[:min(len(r.rest), limit)]
	r.rest = r.rest[len(p):]
	if len(r.rest) == 0 {
		delete(q.open, handle)
	}
	return p, nil
}
