package sites

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The shop's hosts.
const (
	shopHost     = "www.shop.example"
	accountsHost = "accounts.shop.example"
	partsHost    = "cdn.shop.example"
)

// perPage is how many orders a page of the list has.
const perPage = 10

// Shop is a shop with one customer.
type Shop struct {
	Username, Password string
	Code               string // that is asked for behind the password; "": none
	Orders             int
	Hold               bool                      // behind the password a button is to be held for three seconds
	SessionOnly        bool                      // the session ends with the browser
	Fault              func(r *http.Request) int // a status to answer with instead; nil, 0: none. With 429 it asks for a second's pause.

	lock     sync.Mutex
	sessions map[string]bool
	tries    int // of the password
	notes    []string
}

// Notes are what was typed beside the button that was held.
func (s *Shop) Notes() []string {
	s.lock.Lock()
	defer s.lock.Unlock()
	return slices.Clone(s.notes)
}

// Tries is how often a password was sent.
func (s *Shop) Tries() int {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.tries
}

// Sessions are the secrets of the sessions so far.
func (s *Shop) Sessions() []string {
	s.lock.Lock()
	defer s.lock.Unlock()
	return slices.Collect(maps.Keys(s.sessions))
}

// ServeHTTP answers under each of the shop's names.
func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.Fault != nil {
		if status := s.Fault(r); status != 0 {
			if status == http.StatusTooManyRequests {
				w.Header().Set("Retry-After", "1")
			}
			http.Error(w, "not now", status)
			return
		}
	}
	switch r.Host {
	case accountsHost:
		s.accounts(w, r)
	case shopHost:
		s.shop(w, r)
	case partsHost:
		w.Header().Set("Content-Type", "text/css")
		fmt.Fprint(w, "body { color: black }")
	default:
		http.NotFound(w, r)
	}
}

func html(w http.ResponseWriter, title, body string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, //nolint:gosec // a test's own words and numbers
		`<!doctype html><title>%s</title><link rel=stylesheet href="https://%s/shop.css"><img src="https://ads.example/x.png"><body>%s`, title, partsHost, body)
}

// accounts is where one signs in.
func (s *Shop) accounts(w http.ResponseWriter, r *http.Request) {
	const form = `<form method=post action=/login><input id=username name=username><input id=password name=password type=password><button id=next>Next</button></form>`
	switch r.Method + " " + r.URL.Path {
	case "GET /login":
		html(w, "Sign in", form)
	case "POST /login":
		s.lock.Lock()
		s.tries++
		s.lock.Unlock()
		switch {
		case r.FormValue("username") != s.Username || r.FormValue("password") != s.Password:
			html(w, "Sign in", `<p id=wrong>That is not right.</p>`+form)
		case s.Hold:
			html(w, "Press and hold", holding)
		default:
			s.known(w, r)
		}
	case "POST /held":
		ms, _ := strconv.ParseFloat(r.FormValue("ms"), 64)
		if ms < 3000 { //nolint:mnd // three seconds
			html(w, "Press and hold", holding)
			return
		}
		s.lock.Lock()
		s.notes = append(s.notes, r.FormValue("note"))
		s.lock.Unlock()
		s.known(w, r)
	case "POST /code":
		if r.FormValue("code") != s.Code {
			html(w, "Code", `<form method=post action=/code><input id=code name=code><button id=next>Next</button></form>`)
			return
		}
		s.enter(w, r)
	default:
		http.NotFound(w, r)
	}
}

// holding is a page that takes the events of a person alone: on its button at 200, 140 and in its
// field at 200, 240.
const holding = `<style>#hold, #note { position: fixed; left: 100px; width: 200px; height: 80px } #hold { top: 100px } #note { top: 200px }</style>
<form method=post action=/held><button type=button id=hold>Press and hold</button><input id=note name=note><input id=ms name=ms type=hidden></form>
<script>
	const hold = document.getElementById("hold"), ms = document.getElementById("ms");
	let since = 0;
	hold.addEventListener("mousedown", e => { since = e.isTrusted ? performance.now() : 0; hold.textContent = "Hold" });
	addEventListener("mouseup", e => {
		if (e.isTrusted && since && performance.now() - since >= 3000) { ms.value = performance.now() - since; hold.form.submit() }
		since = 0;
	});
</script>`

// known goes on with who has typed the right password.
func (s *Shop) known(w http.ResponseWriter, r *http.Request) {
	if s.Code == "" {
		s.enter(w, r)
		return
	}
	html(w, "Code", `<form method=post action=/code><input id=code name=code><button id=next>Next</button></form>`)
}

// enter begins a session.
func (s *Shop) enter(w http.ResponseWriter, r *http.Request) {
	s.lock.Lock()
	if s.sessions == nil {
		s.sessions = map[string]bool{}
	}
	id := fmt.Sprintf("session-%d-%d", time.Now().UnixNano(), len(s.sessions))
	s.sessions[id] = true
	s.lock.Unlock()
	c := &http.Cookie{Name: "sid", Value: id, Domain: "shop.example", Path: "/", Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if !s.SessionOnly {
		c.MaxAge = 3600
	}
	http.SetCookie(w, c)
	http.Redirect(w, r, "https://"+shopHost+"/", http.StatusSeeOther)
}

func (s *Shop) knows(r *http.Request) bool {
	c, err := r.Cookie("sid")
	s.lock.Lock()
	defer s.lock.Unlock()
	return err == nil && s.sessions[c.Value]
}

// shop is where the orders are.
func (s *Shop) shop(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/" {
		if s.knows(r) {
			html(w, "Shop", "<p id=account>Hello</p>")
		} else {
			html(w, "Shop", "<a id=login href=https://"+accountsHost+"/login>Sign in</a>")
		}
		return
	}
	if !s.knows(r) {
		http.Error(w, "sign in first", http.StatusUnauthorized)
		return
	}
	api, isAPI := strings.CutPrefix(r.URL.Path, "/api/orders")
	id, ofOrder := strings.CutPrefix(r.URL.Path, "/orders/")
	id, isInvoice := strings.CutSuffix(id, "/invoice.pdf")
	switch {
	case isAPI && api == "":
		s.list(w, r)
	case isAPI:
		s.order(w, r, strings.TrimPrefix(api, "/"))
	case ofOrder && isInvoice:
		w.Header().Set("Content-Type", "application/pdf")
		w.Header().Set("Content-Disposition", `attachment; filename="invoice `+id+`.pdf"`)
		fmt.Fprint(w, Invoice(id)) //nolint:gosec // a PDF, for a test
	case ofOrder:
		html(w, "Order "+id, `<h1>Order `+id+`</h1><a id=invoice href="/orders/`+id+`/invoice.pdf">Invoice</a>`)
	default:
		http.NotFound(w, r)
	}
}

// Invoice is what the invoice of an order has in it.
func Invoice(id string) string { return "%PDF-1.4 invoice of order " + id }

func (s *Shop) list(w http.ResponseWriter, r *http.Request) {
	page, _ := strconv.Atoi(r.FormValue("page"))
	page = max(page, 1)
	answer := map[string]any{"next": 0}
	ids := []string{}
	for i := (page - 1) * perPage; i < min(page*perPage, s.Orders); i++ {
		ids = append(ids, strconv.Itoa(1000+i))
	}
	if answer["orders"] = ids; page*perPage < s.Orders {
		answer["next"] = page + 1
	}
	reply(w, answer)
}

func (s *Shop) order(w http.ResponseWriter, r *http.Request, id string) {
	n, err := strconv.Atoi(id)
	if err != nil || n < 1000 || n >= 1000+s.Orders {
		http.NotFound(w, r)
		return
	}
	reply(w, map[string]any{
		"id": id, "placed_at": time.Date(2026, 1, 1+n%28, 12, 0, 0, 0, time.UTC).Format(time.RFC3339),
		"total": fmt.Sprintf("%d.95", n%97), "items": []string{"socks", "tea"}[:1+n%2], "invoice": n == 1000,
	})
}

func reply(w http.ResponseWriter, answer any) {
	w.Header().Set("Content-Type", "application/json")
	b, err := json.Marshal(answer)
	if err != nil {
		panic(err) // numbers and texts
	}
	_, _ = w.Write(b)
}
