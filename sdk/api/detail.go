package api

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// A list shows a record, and its provider says 404 of the detail: who is right, the detail does not
// say, so nothing is deleted for it. The detail is a gap. From its second refusal on the list counts
// as one that does not show the record, and the host weighs that with the whole list (AC-09, AC-10).
const (
	refusedForGood = 2
	refusedRoom    = 64 << 10 // of refusals in a cursor; the list shows the records of others as before
)

// fetched is the cursor of a list whose records are fetched one by one: the fingerprint of
// the time at which each was changed, as the list gave it, and the refusals.
type fetched struct {
	known   cursor.Sums
	refused map[string]int64 // runs in a row that were told that the detail is gone, up to refusedForGood
}

// Members implements cursor.Value.
func (f *fetched) Members(m *cursor.Members) {
	m.Sums("known", &f.known)
	m.Numbers("refused", &f.refused, refusedRoom)
}

// fetching is the lane of a list whose records are fetched one by one. It fetches those that
// are new or have another time than before; one that fails is a gap, which a later run tries
// again.
type fetching struct {
	*listing
	details *sdk.Details
	saver   cursor.Saver

	before, met, done fetched // done is before, with what this run has fetched
	changed           []sdk.Detail
	covered           int  // how many of them done has
	whole             bool // the list was read to its end

	tried   map[string]bool   // details of gaps that are asked for, which are no unchanged ones
	refused map[string]int64  // as in the cursor, with what this run was told
	back    map[string]uint64 // fingerprints of those that were refused before, for when they come
}

func (l List) lane(c *Client) Lane {
	r := &fetching{listing: l.in(c), tried: make(map[string]bool), back: make(map[string]uint64)}
	cursor.Read(r.Cursor(r.Name), r.version(), &r.before)
	cursor.Read(r.Cursor(r.Name), r.version(), &r.done)
	r.refused = make(map[string]int64)
	for key, times := range r.before.refused {
		r.refused[key] = times
	}
	r.done.refused, r.met.refused = r.refused, r.refused
	r.saver = cursor.Saver{Host: r.Host, Stream: r.Name, Version: r.version(), Whose: r.Account, Value: &r.done}
	r.details = c.Details(sdk.DetailLane{
		Stream: r.Name, StateStream: r.Name,
		Request: func(d sdk.Detail) (sdk.Request, error) { r.ask(keyOf(d.Key)); return c.Get(l.Path(d.Key)), nil },
		Record:  r.record, Slice: r.slice,
	})
	return &DetailLane{Details: r.details, Tally: r.tally, Walk: r.walk, Save: r.save}
}

// ask has a detail counted once that is asked for although the list shows it unchanged: it is one
// of a gap.
func (r *fetching) ask(key string) {
	sum, listed := r.met.known.Get(key)
	was, known := r.before.known.Get(key)
	same := listed && known && sum != 0 && sum == was
	if same && !r.tried[key] {
		r.Items(r.Name).Unchanged--
	}
	if listed && r.before.refused[key] == refusedForGood && !r.tried[key] {
		r.Items(r.Name).KeptBack--
		same = true
	}
	if same || !listed {
		r.tried[key] = true
	}
}

// slice hands over the cursor of the details before rest.
func (r *fetching) slice(rest sdk.Detail) error {
	for ; r.covered < len(r.changed) && !slices.Equal(r.changed[r.covered].Key, rest.Key); r.covered++ {
		key := keyOf(r.changed[r.covered].Key)
		sum, _ := r.met.known.Get(key)
		r.done.known.Set(key, sum)
	}
	return r.saver.Page(r.Name + " " + strconv.Itoa(r.covered))
}

// save hands over the cursor of a list that was read to its end.
func (r *fetching) save() error {
	if !r.whole {
		return nil
	}
	return r.State(r.Name, cursor.Encode(r.version(), r.Account, &r.met))
}

func (r *fetching) walk() error {
	how, err := r.settle(func(row jsonvalue.Value) (string, error) {
		d := r.Detail(row)
		if len(d.Key) == 0 || slices.Contains(d.Key, "") {
			return "", nil
		}
		return r.meet(d), nil
	})
	if err != nil {
		return err
	}
	if how == Whole {
		for key := range r.refused {
			if _, listed := r.met.known.Get(key); !listed {
				delete(r.refused, key)
			}
		}
	}
	if how == Unstable { // the list may have hidden a row
		for _, key := range r.before.known.Keys() {
			if _, listed := r.met.known.Get(key); !listed {
				sum, _ := r.before.known.Get(key)
				r.met.known.Set(key, sum)
			}
		}
	}
	slices.SortStableFunc(r.changed, func(a, b sdk.Detail) int { return strings.Compare(b.UpdatedAt, a.UpdatedAt) }) // newest first
	next := 0
	err = r.details.Walk(func() (d sdk.Detail, more bool) {
		if next == len(r.changed) {
			return d, false
		}
		next++
		return r.changed[next-1], true
	})
	r.whole = err == nil
	return err
}

// meet takes a row of the list: a detail that is to be fetched, or one that is as it was. It returns its key.
func (r *fetching) meet(d sdk.Detail) string {
	key, sum := keyOf(d.Key), uint64(0)
	if d.UpdatedAt != "" {
		sum = fingerprint.Sum48([]byte(d.UpdatedAt))
	}
	weighed := r.before.refused[key] == refusedForGood
	if weighed || r.refused[key] > 0 { // it is asked for again: it may come back
		r.back[key], sum = sum, 0
	}
	was, known := r.before.known.Get(key)
	now, again := r.met.known.Get(key) // the list is read twice where it shifts
	switch {
	case weighed && !again && !r.tried[key]:
		r.refused[key] = refusedForGood - 1
		r.Items(r.Name).KeptBack++
	case weighed:
	case (!known || sum == 0 || sum != was) && (!again || now != sum):
		r.changed = append(r.changed, d)
	case !again && !r.tried[key]:
		r.Items(r.Name).Unchanged++
	}
	r.met.known.Set(key, sum)
	if !weighed {
		r.listed = append(r.listed, d.Key)
	}
	return key
}

// record emits the record of a detail. An error that is no failure of the request is that of this
// detail alone.
func (r *fetching) record(d sdk.Detail, resp *sdk.Response) error {
	key := keyOf(d.Key)
	if Of(resp) == Gone {
		r.refused[key] = min(r.before.refused[key]+1, refusedForGood)
		if _, listed := r.met.known.Get(key); listed {
			r.met.known.Set(key, 0)
		}
		return r.Check(resp)
	}
	if err := r.Check(resp); err != nil {
		return err
	}
	v, err := r.JSON(resp)
	if err != nil && EndsRun(err) {
		return err
	}
	if err != nil { // of this detail alone
		return errors.New(err.Error())
	}
	record := r.Record(r.Name)
	record.Reset()
	r.Row(record, v)
	if record.Key() != key {
		record.Reset()
		return errors.New("the answer is of another record")
	}
	if sum, again := r.back[key]; again {
		r.met.known.Set(key, sum)
	}
	delete(r.refused, key)
	return record.Emit()
}

// keyOf spells a key as sdk.Record.Key does.
func keyOf(key []string) string {
	if len(key) == 1 {
		return key[0]
	}
	return string(jsonappend.Strings(nil, key))
}
