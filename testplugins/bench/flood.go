package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	floodAddresses = 1000
	floodRate      = 2000 // requests a second
	floodApps      = 10
	floodLasts     = 30 * time.Second
	floodMost      = 4000 // requests that wait at once
)

// flood measures what ten apps and an owner wait while strangers of a thousand addresses send 2,000 requests a second: wrong refresh
// tokens, wrong passwords, pushed requests and registrations. Each address is one of this machine, and has a connection of its own.
func (b *bench) flood() error {
	title(fmt.Sprintf("Strangers of %d addresses, %d requests a second", floodAddresses, floodRate), "make bench BENCH='-only flood'")
	data, err := b.newFolder("flood", []string{"scripted"}, b.plugins())
	if err != nil {
		return err
	}
	if err := b.connected(data, "mine", "scripted"); err != nil {
		return err
	}
	o, err := b.opened(data)
	if err != nil {
		return err
	}
	defer o.stop()
	if o.token, err = b.newToken(data, "manage"); err != nil {
		return err
	}
	apps := make([]*floodApp, floodApps)
	for i := range apps {
		if apps[i], err = o.newApp(fmt.Sprintf("127.77.0.%d", i+1)); err != nil {
			return err
		}
	}
	row("", "asked", "answered", "p50", "p99", "slowest")
	row("---", "---", "---", "---", "---", "---")
	if err := o.measured(apps, "alone"); err != nil {
		return err
	}
	stop, ended := make(chan struct{}), make(chan *crowdOf, 1)
	go func() { ended <- o.strangers(stop) }()
	time.Sleep(5 * time.Second) // until they have their shares
	err = o.measured(apps, "in the flood")
	close(stop)
	all := <-ended
	fmt.Printf("\nStrangers sent %d requests in %.0f s; %d were answered (%s).\n", all.sent.Load(), all.took.Seconds(), all.answered.Load(), all.statuses())
	return errors.Join(err, o.measured(apps, "alone again"))
}

// floodApp is an app with a grant, and an address of its own.
type floodApp struct {
	client  *http.Client
	id      string
	refresh string
}

// from returns a client whose connections come from an address of this machine.
func from(address string, keep bool) *http.Client {
	dial := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}, Timeout: 10 * time.Second}
	return &http.Client{
		Timeout: 10 * time.Second, CheckRedirect: plainly.CheckRedirect,
		Transport: &http.Transport{DialContext: dial.DialContext, MaxConnsPerHost: 8, DisableKeepAlives: !keep},
	}
}

// ask sends a request and reads its answer: GET without a media type, else POST.
func (o *open) ask(c *http.Client, path, media, body, authorization string, into any) (int, error) {
	method := http.MethodPost
	if media == "" {
		method = http.MethodGet
	}
	r, err := http.NewRequestWithContext(context.Background(), method, "http://"+o.address+path, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	if r.Header.Set("Content-Type", media); media == formMedia {
		r.Header.Set("Origin", "http://"+o.address)
	}
	if authorization != "" {
		r.Header.Set("Authorization", "Bearer "+authorization)
	}
	res, err := c.Do(r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil || into == nil {
		return res.StatusCode, err
	}
	if res.StatusCode/100 != 2 {
		return res.StatusCode, fmt.Errorf("%s: %s %s", path, res.Status, bytes.TrimSpace(text))
	}
	return res.StatusCode, json.Unmarshal(text, into)
}

const (
	formMedia = "application/x-www-form-urlencoded"
	jsonMedia = "application/json"
	floodBack = "http://127.0.0.1/back"
	verifier  = "a-code-verifier-that-only-this-benchmark-has"
	wants     = `[{"type":"https://pdpp.dev/data-access","source":{"id":"https://pdpp-host.example/connectors/scripted"},"purpose_code":"https://example.org/why","access_mode":"continuous","streams":[{"name":"notes"}]}]`
)

// newApp registers an app, and has the owner approve what it asks for.
func (o *open) newApp(address string) (*floodApp, error) {
	a := &floodApp{client: from(address, false)}
	var known struct {
		ID string `json:"client_id"`
	}
	if _, err := o.ask(a.client, "/oauth/register", jsonMedia, `{"client_name":"An app","redirect_uris":["`+floodBack+`"],"grant_types":["authorization_code","refresh_token"]}`, "", &known); err != nil {
		return nil, err
	}
	a.id = known.ID
	sum := sha256.Sum256([]byte(verifier))
	var pushed struct {
		URI string `json:"request_uri"`
	}
	asks := url.Values{"client_id": {a.id}, "response_type": {"code"}, "redirect_uri": {floodBack}, "code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"}, "authorization_details": {wants}}
	if _, err := o.ask(a.client, "/oauth/par", formMedia, asks.Encode(), "", &pushed); err != nil {
		return nil, err
	}
	var waiting struct {
		Data []struct {
			ID    string `json:"request_id"`
			State string `json:"state"`
		} `json:"data"`
	}
	if _, err := o.ask(a.client, "/v1/owner/grant-requests", "", "", o.token, &waiting); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(waiting.Data, func(one struct {
		ID    string `json:"request_id"`
		State string `json:"state"`
	}) bool {
		return one.State == "pending"
	})
	if i < 0 {
		return nil, errors.New("no request waits")
	}
	path := "/v1/owner/grant-requests/" + waiting.Data[i].ID
	var review struct {
		Revision string `json:"approval_review_revision"`
	}
	var made struct {
		Back string `json:"redirect_to"`
	}
	if _, err := o.ask(a.client, path+"/review", jsonMedia, "{}", o.token, &review); err != nil {
		return nil, err
	}
	if _, err := o.ask(a.client, path+"/approve", jsonMedia, `{"approval_review_revision":"`+review.Revision+`"}`, o.token, &made); err != nil {
		return nil, err
	}
	back, err := url.Parse(made.Back)
	if err != nil {
		return nil, err
	}
	return a, o.renew(a, url.Values{"grant_type": {"authorization_code"}, "code": {back.Query().Get("code")}, "redirect_uri": {floodBack}, "code_verifier": {verifier}})
}

// renew asks for a token.
func (o *open) renew(a *floodApp, ask url.Values) error {
	ask.Set("client_id", a.id)
	var got struct {
		Refresh string `json:"refresh_token"`
	}
	_, err := o.ask(a.client, "/oauth/token", formMedia, ask.Encode(), "", &got)
	if err == nil {
		a.refresh = got.Refresh
	}
	return err
}

// measured has the apps renew their tokens, in turn and each on a new connection, and the owner sign in from a new place.
func (o *open) measured(apps []*floodApp, name string) error {
	var took []time.Duration
	asked, failed := 0, error(nil)
	for began := time.Now(); time.Since(began) < floodLasts; asked++ {
		a := apps[asked%len(apps)]
		at := time.Now()
		if err := o.renew(a, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {a.refresh}}); err != nil {
			failed = err
			continue
		}
		took = append(took, time.Since(at))
		time.Sleep(50 * time.Millisecond)
	}
	o.show("renewals, "+name, asked, took)
	if failed != nil {
		fmt.Println("last refusal:", failed)
	}
	took, asked = nil, 5
	for i := range asked {
		c, at := from(fmt.Sprintf("127.88.%d.%d", len(name), i+1), false), time.Now()
		for time.Since(at) < time.Minute {
			status, err := o.ask(c, "/sign-in", formMedia, url.Values{"password": {ownPassword}}.Encode(), "", nil)
			if err == nil && status == http.StatusSeeOther {
				took = append(took, time.Since(at))
				break
			}
			time.Sleep(200 * time.Millisecond)
		}
	}
	o.show("sign-ins, "+name, asked, took)
	return nil
}

func (o *open) show(name string, asked int, took []time.Duration) {
	slices.Sort(took)
	if len(took) == 0 {
		row(name, asked, 0, "", "", "")
		return
	}
	row(name, asked, len(took), took[len(took)/2], took[len(took)*99/100], took[len(took)-1])
}

// crowdOf counts what strangers sent, and what came of it.
type crowdOf struct {
	sent, answered atomic.Int64
	took           time.Duration

	mu  sync.Mutex
	was map[int]int
}

func (c *crowdOf) statuses() string {
	var list []string
	for status, n := range c.was {
		list = append(list, fmt.Sprintf("%d: %d", status, n))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// strangers send requests until stop is closed.
func (o *open) strangers(stop chan struct{}) *crowdOf {
	c := &crowdOf{was: map[int]int{}}
	clients := make([]*http.Client, floodAddresses)
	for i := range clients {
		clients[i] = from(fmt.Sprintf("127.66.%d.%d", i/250, i%250+1), true)
	}
	places, began := make(chan struct{}, floodMost), time.Now()
	defer func() { c.took = time.Since(began) }()
	var all sync.WaitGroup
	defer all.Wait()
	const step = 10 * time.Millisecond
	for tick := time.NewTicker(step); ; {
		select {
		case <-stop:
			tick.Stop()
			return c
		case <-tick.C:
		}
		for range floodRate * int(step) / int(time.Second) {
			n := c.sent.Add(1)
			select {
			case places <- struct{}{}:
			case <-stop:
				return c
			}
			all.Go(func() {
				defer func() { <-places }()
				path, media, body := "/oauth/token", formMedia, "grant_type=refresh_token&client_id=x&refresh_token="+fmt.Sprint("wrong", n)
				switch n % 8 {
				case 1:
					path, body = "/sign-in", "password=wrong+words"
				case 2:
					path, body = "/oauth/par", "client_id=x&response_type=code"
				case 3:
					path, media, body = "/oauth/register", jsonMedia, `{"client_name":"stranger","redirect_uris":["`+floodBack+`"]}`
				}
				if status, err := o.ask(clients[n%floodAddresses], path, media, body, "", nil); err == nil {
					c.answered.Add(1)
					c.mu.Lock()
					c.was[status]++
					c.mu.Unlock()
				}
			})
		}
	}
}
