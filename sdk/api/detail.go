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

// goneFreely is how many details are deleted although most answers say that theirs is gone,
// which a provider in trouble says of all of them. The others are gaps. A list of five may lose as
// many without its owner's word, too (AC-09).
const goneFreely = 2

// fetched is the cursor of a list whose records are fetched one by one: the fingerprint of
// the time at which each was changed, as the list gave it.
type fetched struct{ known cursor.Sums }

// Members implements cursor.Value.
func (f *fetched) Members(m *cursor.Members) { m.Sums("known", &f.known) }

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
	asked, gone       int  // details that the provider answered for, and that it does not have
	whole             bool // the list was read to its end

	tried map[string]bool // details of gaps that are asked for, which are no unchanged ones
}

func (l List) lane(c *Client) Lane {
	r := &fetching{listing: l.in(c), tried: make(map[string]bool)}
	cursor.Read(r.Cursor(r.Name), r.version(), &r.before)
	cursor.Read(r.Cursor(r.Name), r.version(), &r.done)
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
		key, sum := keyOf(d.Key), uint64(0)
		if d.UpdatedAt != "" {
			sum = fingerprint.Sum48([]byte(d.UpdatedAt))
		}
		was, known := r.before.known.Get(key)
		now, again := r.met.known.Get(key) // the list is read twice where it shifts
		switch {
		case (!known || sum == 0 || sum != was) && (!again || now != sum):
			r.changed = append(r.changed, d)
		case !again && !r.tried[key]:
			r.Items(r.Name).Unchanged++
		}
		r.met.known.Set(key, sum)
		r.listed = append(r.listed, d.Key)
		return key, nil
	})
	if err != nil {
		return err
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

// record emits the record of a detail, or deletes it when it is gone. An error that is no
// failure of the request is that of this detail alone.
func (r *fetching) record(d sdk.Detail, resp *sdk.Response) error {
	r.asked++
	if Of(resp) == Gone {
		r.gone++
		if r.gone > goneFreely && 2*r.gone > r.asked {
			return errors.New("the list shows the record, and the provider says of most records that they are gone")
		}
		// While the list shows it, it is asked for in each run: it may come back.
		r.before.known.Set(keyOf(d.Key), 0)
		r.met.known.Set(keyOf(d.Key), 0)
		r.Items(r.Name).NotRecord++
		return r.Delete(r.Name, d.Key...)
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
	if record.Key() != keyOf(d.Key) {
		record.Reset()
		return errors.New("the answer is of another record")
	}
	return record.Emit()
}

// keyOf spells a key as sdk.Record.Key does.
func keyOf(key []string) string {
	if len(key) == 1 {
		return key[0]
	}
	return string(jsonappend.Strings(nil, key))
}
