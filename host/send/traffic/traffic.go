package traffic

import (
	"cmp"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/provider"
	"github.com/pdpp-host/pdpp-host/host/send"
)

// Most is how many providers are counted by their names. Later ones count as Other.
const Most = 32

// Other stands for the providers beyond Most, and for names that no manifest may have.
const Other = "other"

// Counts has what one provider was asked since the process began.
type Counts struct {
	Provider string

	Answered, Refused, Failed int64         // attempts: refused ones ask for fewer requests, failed ones have no answer or a 5xx
	Paced, Asked, BackedOff   time.Duration // requests were held back: by the pace, at the provider's word, after a failure
}

// Traffic counts for all runs of a process. It is safe for concurrent use; nil counts nothing.
type Traffic struct {
	mu  sync.Mutex
	all map[string]*Counts
}

// New returns a Traffic that has counted nothing.
func New() *Traffic { return &Traffic{all: map[string]*Counts{}} }

// Of returns what a governor of that provider tells its steps to; nil: it counts nothing.
func (t *Traffic) Of(name string) func(send.Event) {
	if t == nil {
		return nil
	}
	return func(e send.Event) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.of(name).add(&e)
	}
}

// of returns the counts of a name. The caller holds t.mu.
func (t *Traffic) of(name string) *Counts {
	if t.all[name] == nil && (len(t.all) >= Most || !provider.IsName(name)) {
		name = Other
	}
	c := t.all[name]
	if c == nil {
		c = &Counts{Provider: name}
		t.all[name] = c
	}
	return c
}

func (c *Counts) add(e *send.Event) {
	switch e.Kind {
	case send.EventWait:
		if e.Told {
			c.Asked += e.Duration
		} else {
			c.Paced += e.Duration
		}
	case send.EventBackoff:
		if e.Told {
			c.Asked += e.Duration
		} else {
			c.BackedOff += e.Duration
		}
	case send.EventAnswer:
		switch {
		case e.Refused:
			c.Refused++
		case e.Status == 0 || e.Status >= http.StatusInternalServerError:
			c.Failed++
		default:
			c.Answered++
		}
	}
}

// Counts returns the counts of all providers, by name.
func (t *Traffic) Counts() []Counts {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]Counts, 0, len(t.all))
	for _, c := range t.all {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b Counts) int { return cmp.Compare(a.Provider, b.Provider) })
	return out
}
