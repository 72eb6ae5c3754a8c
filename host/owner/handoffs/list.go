package handoffs

import (
	"context"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// List returns the pages that wait for their owner, the first one first.
func List(_ context.Context, o *owner.Owner) ([]Handoff, error) {
	if o.Handoffs == nil {
		return []Handoff{}, nil
	}
	all := o.Handoffs.List()
	out := make([]Handoff, len(all))
	for i := range all {
		out[i] = shown(&all[i])
	}
	return out, nil
}

// Show returns one, by the id of its question. One that is over lately says how it came out.
func Show(_ context.Context, o *owner.Owner, id string) (*Handoff, error) {
	r, err := registry(o)
	if err != nil {
		return nil, err
	}
	s, err := r.Show(id)
	if err != nil {
		return nil, err
	}
	out := shown(&s)
	return &out, nil
}

// registry is that of this process.
func registry(o *owner.Owner) (*handoff.Registry, error) {
	if o.Handoffs == nil {
		return nil, abi.NewError(CodeUnknown, "no page waits under this id", "see what is open: pdpp-host questions")
	}
	return o.Handoffs, nil
}
