package main

import (
	"slices"
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk"
)

const (
	// maxConfirmed is how many missing objects one run asks for by id: two or
	// three minutes at Notion's rate.
	maxConfirmed = 400
	// confirmWindow is how many of these requests are in flight.
	confirmWindow = 3
)

// confirmMissing asks for the objects that a full walk did not meet. An object that is
// not found, or is in the trash, is buried. One that exists stays, because search does
// not promise to list everything. settled reports that none is left open.
func (l *listing) confirmMissing() (settled bool, err error) {
	missing := l.missing()
	if len(missing) == 0 {
		l.ledger.confirmed = ""
		return true, nil
	}
	batch := missing[:min(len(missing), maxConfirmed)]
	answers, failed := l.retrieve(batch)
	// In the order of ids, whatever the order of answers.
	left, refused := len(missing)-len(batch), 0
	for _, id := range batch {
		verdict, err := l.decide(id, answers[id])
		if err != nil {
			return false, err
		}
		switch verdict {
		case verdictOpen:
			left++
		case verdictRefused:
			refused++
		case verdictSettled:
		}
	}
	l.ledger.confirmed = batch[len(batch)-1]
	if failed != nil {
		return false, failed
	}
	if refused > 0 {
		err := l.skip(problemRefused, strconv.Itoa(refused)+" objects are no longer listed, and Notion refuses to look them up: they are kept",
			"not_retriable", counted(refused))
		if err != nil {
			return false, err
		}
	}
	if left == 0 {
		return true, nil
	}
	return false, l.skip(problemMissing, strconv.Itoa(left)+" objects are no longer listed; the next runs find out whether they were deleted",
		"retry_by_runtime", counted(left))
}

// retrieve asks for objects by id. An object without an answer failed temporarily, or
// was not requested because of the error.
func (l *listing) retrieve(ids []string) (map[string]*sdk.Response, error) {
	answers, byURL := make(map[string]*sdk.Response, len(ids)), make(map[string]string, len(ids))
	asked := 0
	err := l.h.FetchMany(confirmWindow, func() (sdk.Request, bool) {
		if asked == len(ids) {
			return sdk.Request{}, false
		}
		r := l.retrieval(l.kind, ids[asked])
		byURL[r.URL] = ids[asked]
		asked++
		return r, true
	}, func(r sdk.Request, resp *sdk.Response, err error) error {
		if err != nil {
			if endsRun(err) {
				return err
			}
			return nil
		}
		answers[byURL[r.URL]] = resp
		return nil
	})
	return answers, err
}

// missing returns the objects that the last full walk did not meet, by id, beginning
// behind the one that was requested last.
func (l *listing) missing() []string {
	var list []string
	for id, e := range l.ledger.known {
		if e.round != l.ledger.round {
			list = append(list, id)
		}
	}
	slices.Sort(list)
	from, _ := slices.BinarySearch(list, l.ledger.confirmed+"\x00")
	return append(list[from:len(list):len(list)], list[:from]...)
}

// verdict is the outcome for one missing object.
type verdict uint8

const (
	verdictOpen    verdict = iota // not known yet
	verdictSettled                // buried, or found to exist
	verdictRefused                // cannot be known
)

// decide decides about one missing object.
func (l *listing) decide(id string, resp *sdk.Response) (verdict, error) {
	switch {
	case resp == nil || resp.Status >= 500:
		return verdictOpen, nil
	case resp.Status == 404:
		return verdictSettled, l.bury(id)
	}
	if err := l.h.CheckStatus(resp); err != nil {
		if endsRun(err) {
			return verdictOpen, err
		}
		l.ledger.set(id, l.ledger.known[id].sum)
		return verdictRefused, nil
	}
	v, bad := resp.JSON()
	if bad != nil || v.Get("id").Str() != id {
		return verdictOpen, nil //nolint:nilerr // it is asked for again by the next run
	}
	_, err := l.emitOrBury(v)
	return verdictSettled, err
}
