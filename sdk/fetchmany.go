package sdk

// FetchMany keeps up to window requests in flight (1 at least, 63 at most) and
// hands over each answer as it arrives, in whatever order that is: a provider
// that takes a second for an answer then costs a second for window of them.
//
// next returns the next request, false when there is none now: it is asked
// again after each answer, so that each may find more to ask, and FetchMany
// ends when there is none and nothing is in flight. After a FetchError that is
// Final it is not asked any more. each gets one of resp and err, as of Fetch; what it returns
// ends FetchMany and is returned, without waiting for the rest. The error is
// ErrStopped when the host stops the run.
func (h *Host) FetchMany(window int, next func() (Request, bool), each func(r Request, resp *Response, err error) error) error {
	var asked []Request // by token
	var free []int      // tokens to use again
	return h.fetchMany(window, func() (Request, int, bool) {
		r, ok := next()
		if !ok {
			return r, 0, false
		}
		if last := len(free) - 1; last >= 0 {
			token := free[last]
			free, asked[token] = free[:last], r
			return r, token, true
		}
		asked = append(asked, r)
		return r, len(asked) - 1, true
	}, func(token int, resp *Response, err error) error {
		r := asked[token]
		asked[token], free = Request{}, append(free, token)
		return each(r, resp, err)
	}, nil)
}

// sent is a request in flight, under the name that its sender gave it.
type sent struct {
	handle int32
	token  int
}

// fetchMany is FetchMany for a caller that knows requests by token. before is as of
// arrive.
func (h *Host) fetchMany(window int, next func() (Request, int, bool), each func(token int, resp *Response, err error) error,
	before beforeWait,
) error {
	window = min(max(window, 1), maxFetching)
	flight := make([]sent, 0, window)
	defer func() {
		for _, s := range flight {
			h.drop(s.handle)
		}
	}()
	for final := false; ; {
		for !final && !h.stopping && len(flight) < window {
			r, token, ok := next()
			if !ok {
				break
			}
			handle, err := h.startFetch(r)
			if err == nil {
				flight = append(flight, sent{handle, token})
				continue
			}
			if err == ErrStopped || h.failed != nil { //nolint:errorlint // startFetch returns it as it is
				return err
			}
			if err := each(token, nil, err); err != nil {
				return err
			}
		}
		switch {
		case h.stopping:
			return ErrStopped
		case len(flight) == 0:
			return h.failed
		}
		i, answer, err := h.awaitAny(flight, before)
		if err != nil {
			return err
		}
		token := flight[i].token
		flight = append(flight[:i], flight[i+1:]...)
		resp, err := readResponse(answer)
		if e, ok := AsFetchError(err); ok && e.Final {
			final = true
		}
		if err := each(token, resp, err); err != nil {
			return err
		}
	}
}

// awaitAny blocks until one of the requests is answered, and returns which.
func (h *Host) awaitAny(flight []sent, before beforeWait) (int, []byte, error) {
	for {
		for i, s := range flight {
			if answer, ok := h.take(s.handle); ok {
				return i, answer, nil
			}
		}
		if err := h.arrive("http", before); err != nil {
			return 0, nil, err
		}
	}
}
