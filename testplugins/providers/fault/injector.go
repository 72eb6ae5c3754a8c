package fault

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Fault answers one request in place of next, which it may call.
type Fault func(e *Env, w http.ResponseWriter, r *http.Request, next http.Handler)

// Env supplies the time and chance that a fault uses.
type Env struct {
	// Sleep waits on the test's clock and returns early when ctx ends. Nil: no
	// time passes.
	Sleep func(ctx context.Context, d time.Duration)
	// Rand decides for rules with a Chance. Nil: such a rule never fires.
	Rand *rand.Rand
}

// Rule selects the requests that a fault spoils.
type Rule struct {
	Match  func(*http.Request) bool // nil: every request
	After  int                      // so many matching requests pass first
	Times  int                      // then so many fail; 0 is one, negative is all
	Chance float64                  // of each to fail; 0 is every one
	Fault  Fault
}

// Injector is the middleware. It is safe for concurrent use.
type Injector struct {
	next http.Handler
	env  Env

	mu    sync.Mutex
	rules []*active
	fired int
}

type active struct {
	Rule

	seen, done int
}

// New puts an Injector without rules before next.
func New(next http.Handler, env Env) *Injector { return &Injector{next: next, env: env} }

// Add adds rules. The first rule that matches a request fires.
func (i *Injector) Add(rules ...Rule) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, r := range rules {
		if r.Times == 0 {
			r.Times = 1
		}
		i.rules = append(i.rules, &active{Rule: r})
	}
}

// Clear takes all rules away.
func (i *Injector) Clear() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.rules = nil
}

// Fired returns how many requests were spoiled.
func (i *Injector) Fired() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.fired
}

// ServeHTTP answers a request, or spoils the answer.
func (i *Injector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f := i.choose(r); f != nil {
		f(&i.env, w, r, i.next)
		return
	}
	i.next.ServeHTTP(w, r)
}

func (i *Injector) choose(r *http.Request) Fault {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, a := range i.rules {
		if a.Match != nil && !a.Match(r) || a.Times > 0 && a.done >= a.Times {
			continue
		}
		if a.seen++; a.seen <= a.After {
			continue
		}
		if a.Chance > 0 && (i.env.Rand == nil || i.env.Rand.Float64() >= a.Chance) {
			continue
		}
		a.done++
		i.fired++
		return a.Fault
	}
	return nil
}

// Path returns a Match for requests whose path begins with prefix.
func Path(prefix string) func(*http.Request) bool {
	return func(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, prefix) }
}
