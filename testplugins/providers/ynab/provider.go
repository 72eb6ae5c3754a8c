package ynab

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/logbook"
)

// The documented limit: so many requests in any hour.
const (
	Limit = 200
	Per   = time.Hour
)

// Options of a Provider.
type Options struct {
	Token   string           // required of every request; "" takes any
	Now     func() time.Time // required
	Env     fault.Env        // of Faults
	Enforce bool             // refuse above the limit, by Now
}

// Provider is the simulated service. It is safe for concurrent use.
type Provider struct {
	logbook.Book

	Faults *fault.Injector

	o  Options
	mu sync.Mutex

	budgets  []*Budget
	accepted int // requests until the token expires; negative: it does not
	times    []time.Time
}

// New returns a Provider with the budgets.
func New(o Options, budgets ...*Budget) *Provider {
	p := &Provider{o: o, budgets: budgets, accepted: -1}
	p.Faults = fault.New(http.HandlerFunc(p.route), o.Env)
	return p
}

// Edit changes the budgets.
func (p *Provider) Edit(change func(budgets []*Budget) []*Budget) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.budgets = change(p.budgets)
}

// ExpireToken makes the token good for n more requests; negative is for good.
func (p *Provider) ExpireToken(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.accepted = n
}

// ServeHTTP answers a request.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.Arrived(r, nil)
	p.Faults.ServeHTTP(w, r)
}

// within counts a request against the rolling hour.
func (p *Provider) within(now time.Time) bool {
	p.times = slices.DeleteFunc(p.times, func(t time.Time) bool { return now.Sub(t) >= Per })
	if len(p.times) >= Limit {
		return false
	}
	p.times = append(p.times, now)
	return true
}

func (p *Provider) route(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if !p.within(p.o.Now()) && p.o.Enforce {
		problem(w, http.StatusTooManyRequests, "too_many_requests", "Too many requests")
		return
	}
	w.Header().Set("X-Rate-Limit", strconv.Itoa(len(p.times))+"/"+strconv.Itoa(Limit))
	if !p.authorized(r) {
		problem(w, http.StatusUnauthorized, "unauthorized", "Unauthorized")
		return
	}
	data := p.answer(r)
	if data == nil {
		problem(w, http.StatusNotFound, "not_found", "Resource not found")
		return
	}
	if err := json.NewEncoder(w).Encode(Object{"data": data}); err != nil {
		problem(w, http.StatusInternalServerError, "internal_server_error", err.Error())
	}
}

func (p *Provider) authorized(r *http.Request) bool {
	if p.accepted == 0 {
		return false
	}
	if p.accepted > 0 {
		p.accepted--
	}
	kind, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return p.o.Token == "" || strings.EqualFold(kind, "bearer") && token == p.o.Token
}

func problem(w http.ResponseWriter, status int, name, detail string) {
	w.WriteHeader(status)
	out, err := json.Marshal(map[string]map[string]string{"error": {"id": strconv.Itoa(status), "name": name, "detail": detail}})
	if err == nil {
		_, _ = w.Write(out)
	}
}

// answer returns the member data; nil is 404.
func (p *Provider) answer(r *http.Request) Object {
	path, ok := strings.CutPrefix(r.URL.Path, "/v1/budgets")
	if !ok || r.Method != http.MethodGet {
		return nil
	}
	if path == "" {
		rows := []Object{}
		for _, b := range p.budgets {
			rows = append(rows, b.Summary)
		}
		return Object{"budgets": rows, "default_budget": nil}
	}
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	i := slices.IndexFunc(p.budgets, func(b *Budget) bool { return b.ID() == parts[0] })
	if i < 0 || len(parts) < 2 {
		return nil
	}
	b := p.budgets[i]
	if len(parts) == 3 && parts[1] == "months" {
		if month := b.month(parts[2]); month != nil {
			return Object{"month": month}
		}
		return nil
	}
	if len(parts) != 2 {
		return nil
	}
	knowledge, _ := strconv.ParseInt(r.URL.Query().Get("last_knowledge_of_server"), 10, 64)
	data := Object{"server_knowledge": b.Knowledge}
	switch kind := Kind(parts[1]); kind {
	case Categories:
		data[string(Groups)] = b.groups(knowledge)
	case Months:
		data[string(kind)] = b.summaries(knowledge)
	case Locations:
		return Object{string(kind): b.changed(kind, 0)} // no delta requests here
	case Accounts, Payees, Transactions, Scheduled:
		data[string(kind)] = b.changed(kind, knowledge)
	case Groups:
		return nil
	default:
		return nil
	}
	return data
}
