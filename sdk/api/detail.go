package api

import (
	"errors"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

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
	met     fetched
	whole   bool // the list was read to its end
}

func (l List) lane(c *Client) Lane {
	f := &fetching{listing: l.in(c)}
	f.details = c.Details(sdk.DetailLane{
		Stream: l.Name, StateStream: l.Name,
		Request: func(d sdk.Detail) (sdk.Request, error) { return c.Get(l.Path(d.Key)), nil },
		Record:  f.record,
	})
	return f
}

// Recover implements Lane.
func (r *fetching) Recover() error { return r.details.Recover() }

// Collect implements Lane.
func (r *fetching) Collect() error { return r.reported(r.walk()) }

// Close implements Lane.
func (r *fetching) Close() error {
	if err := r.details.Close(); err != nil || !r.whole {
		return err
	}
	return r.State(r.Name, cursor.Encode(listVersion, r.Account, &r.met))
}

func (r *fetching) walk() error {
	var before fetched
	cursor.Read(r.Cursor(r.Name), listVersion, &before)
	var changed []sdk.Detail
	how, err := r.settle(func(row jsonvalue.Value) (string, error) {
		d := r.Detail(row)
		if len(d.Key) == 0 || slices.Contains(d.Key, "") {
			return "", nil
		}
		key, sum := keyOf(d.Key), uint64(0)
		if d.UpdatedAt != "" {
			sum = fingerprint.Sum48([]byte(d.UpdatedAt))
		}
		was, known := before.known.Get(key)
		earlier, again := r.met.known.Get(key) // the list is read twice where it shifts
		if (!known || sum == 0 || sum != was) && (!again || sum != earlier) {
			changed = append(changed, d)
		}
		r.met.known.Set(key, sum)
		r.listed = append(r.listed, d.Key)
		return key, nil
	})
	if err != nil {
		return err
	}
	if how == Unstable { // the list may have hidden a row
		for _, key := range before.known.Keys() {
			if _, listed := r.met.known.Get(key); !listed {
				sum, _ := before.known.Get(key)
				r.met.known.Set(key, sum)
			}
		}
	}
	slices.SortStableFunc(changed, func(a, b sdk.Detail) int { return strings.Compare(b.UpdatedAt, a.UpdatedAt) }) // newest first
	err = r.details.Walk(func() (d sdk.Detail, more bool) {
		if len(changed) == 0 {
			return d, false
		}
		d, changed = changed[0], changed[1:]
		return d, true
	})
	r.whole = err == nil
	return err
}

// record emits the record of a detail. An error that is no failure of the request is that of
// this detail alone.
func (r *fetching) record(d sdk.Detail, resp *sdk.Response) error {
	if err := r.CheckStatus(resp); err != nil {
		return err
	}
	v, err := resp.JSON()
	if err != nil {
		return errors.New("the answer is not JSON")
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
