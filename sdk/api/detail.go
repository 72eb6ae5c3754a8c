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

// fetched is the cursor of a list whose records are fetched one by one: the fingerprint of
// the time at which each was changed, as the list gave it.
type fetched struct{ known cursor.Sums }

// Members implements cursor.Value.
func (f *fetched) Members(m *cursor.Members) { m.Sums("known", &f.known) }

// fetch collects a list whose records are fetched one by one. It fetches those that are new
// or have another time than before; one that fails is a gap, which a later run tries again.
func (r *listing) fetch() error {
	var before, met, done fetched // done is before, with what this run has fetched
	cursor.Read(r.Cursor(r.Name), listVersion, &before)
	cursor.Read(r.Cursor(r.Name), listVersion, &done)
	saver := cursor.Saver{Host: r.Host, Stream: r.Name, Version: listVersion, Whose: r.Account, Value: &done}
	var changed []sdk.Detail
	covered := 0 // how many of them done has
	lane := r.Details(sdk.DetailLane{
		Stream: r.Name, StateStream: r.Name,
		Request: func(d sdk.Detail) (sdk.Request, error) { return r.Get(r.Path(d.Key)), nil },
		Record:  r.record,
		Slice: func(rest sdk.Detail) error {
			for ; covered < len(changed) && !slices.Equal(changed[covered].Key, rest.Key); covered++ {
				key := keyOf(changed[covered].Key)
				sum, _ := met.known.Get(key)
				done.known.Set(key, sum)
			}
			return saver.Page(r.Name + " " + strconv.Itoa(covered))
		},
	})
	if err := lane.Recover(); err != nil {
		return err
	}
	if r.RecoveryOnly() {
		return lane.Close()
	}
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
		if now, again := met.known.Get(key); (!known || sum == 0 || sum != was) && (!again || now != sum) {
			changed = append(changed, d)
		}
		met.known.Set(key, sum)
		r.met = append(r.met, d.Key)
		return key, nil
	})
	if err != nil {
		return err
	}
	if how == Unstable { // the list may have hidden a row
		for _, key := range before.known.Keys() {
			if _, listed := met.known.Get(key); !listed {
				sum, _ := before.known.Get(key)
				met.known.Set(key, sum)
			}
		}
	}
	slices.SortStableFunc(changed, func(a, b sdk.Detail) int { return strings.Compare(b.UpdatedAt, a.UpdatedAt) }) // newest first
	next := 0
	err = lane.Walk(func() (d sdk.Detail, more bool) {
		if next == len(changed) {
			return d, false
		}
		next++
		return changed[next-1], true
	})
	if err == nil {
		err = lane.Close()
	}
	if err != nil {
		return err
	}
	return r.State(r.Name, cursor.Encode(listVersion, r.Account, &met))
}

// record emits the record of a detail. An error that is no failure of the request is that of
// this detail alone.
func (r *listing) record(d sdk.Detail, resp *sdk.Response) error {
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
