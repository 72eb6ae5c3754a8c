package sdk

// FetchMany keeps up to window requests in flight (1 to 63) and hands over each answer
// as it arrives, in any order. At a provider that takes a second for an answer, window
// requests then cost one second.
//
// next returns the next request, or false when there is none at the moment. It is
// called again after each answer, so an answer may lead to further requests. FetchMany
// ends when next returns false and nothing is in flight. It stops calling next after a
// FetchError that is Final. each receives either resp or err, as Fetch returns them; an
// error that it returns ends FetchMany at once, without waiting for the rest. The error
// is ErrStopped when the host stops the run.
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

// sent is a request in flight, under its sender's name for it.
type sent struct {
	handle int32
	token  int
}

// fetchMany is FetchMany for a caller that identifies requests by token. arrive
// describes before.
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
			if answer, ok := h.takeAnswer(s.handle); ok {
				return i, answer, nil
			}
		}
		if err := h.awaitAnswer("http", before); err != nil {
			return 0, nil, err
		}
	}
}
