package call

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send"
)

// BenchmarkCall compares the whole host call with a plain http.Client: the same
// server on the same machine, answers of 4 KiB, no pacing. cpu-µs/op is the
// processor time of the whole process, the server's included, so that the
// difference of two lines is what the host call costs.
func BenchmarkCall(b *testing.B) {
	for _, latency := range []time.Duration{0, 20 * time.Millisecond} {
		server := httptest.NewServer(provider(latency))
		b.Cleanup(server.Close)
		s := benchSession(b, server)
		request := `{"url":"` + server.URL + `/things?page=1","credential":"bearer","headers":{"accept":"application/json"}}`
		ours := func() int { return len(answerOf(context.Background(), s, request)) }
		line := &http.Transport{MaxIdleConnsPerHost: 16}
		b.Cleanup(line.CloseIdleConnections)
		theirs := func() int { return plain(b, &http.Client{Transport: line}, server.URL) }
		windows := []int{1}
		if latency > 0 {
			windows = []int{1, 16}
		}
		for _, window := range windows {
			name := fmt.Sprintf("latency=%v/window=%d/", latency, window)
			b.Run(name+"call", func(b *testing.B) { run(b, window, ours) })
			b.Run(name+"client", func(b *testing.B) { run(b, window, theirs) })
		}
	}
}

func provider(latency time.Duration) http.Handler {
	page := bytes.Repeat([]byte(`{"id":12345678,"name":"a"},`), 4096/27)
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(latency)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("ETag", `"abcdef"`)
		_, _ = w.Write(page)
	})
}

func benchSession(b *testing.B, server *httptest.Server) *Session {
	b.Helper()
	n := network()
	s, err := Open(Options{
		Network: n, Connector: "github", BaseURL: server.URL, AllowPrivate: []string{server.Listener.Addr().(*net.TCPAddr).String()},
		Secrets: &vault{values: map[string]string{"token": "tok-0123456789abcdef"}},
		Clock:   send.SystemClock{}, Random: func() float64 { return 0.5 }, Observer: unwatched{}, MaxBytesOut: 1 << 40,
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Close)
	if r := answerOf(context.Background(), s, `{"url":"`+server.URL+`","credential":"bearer"}`); bytes.Contains(r, []byte(`"error"`)) {
		b.Fatalf("got %s, want !bytes.Contains(r, []byte(`\"error\"`))", r)
	}
	return s
}

type unwatched struct{}

func (unwatched) Waiting(time.Time, bool)         {}
func (unwatched) RateChanged(*abi.CollectionRate) {}
func (unwatched) CircuitChanged(abi.Raw)          {}
func (unwatched) PauseDisbelieved()               {}

func (unwatched) PauseLearned(time.Time, abi.Reason, []byte) {}

// plain is what a program without this package does: it sets the token and
// reads the body.
func plain(b *testing.B, client *http.Client, address string) int {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, address+"/things?page=1", http.NoBody)
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer tok-0123456789abcdef")
	req.Header.Set("Accept", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		b.Fatal(err)
	}
	return len(body)
}

func run(b *testing.B, window int, one func() int) {
	b.ReportAllocs()
	began := processor(b)
	var wg sync.WaitGroup
	work := make(chan struct{})
	for range window {
		wg.Go(func() {
			for range work {
				if one() < 3500 {
					b.Error("a short answer")
				}
			}
		})
	}
	for b.Loop() {
		work <- struct{}{}
	}
	close(work)
	wg.Wait()
	b.ReportMetric(float64(processor(b)-began)/float64(b.N)/float64(time.Microsecond), "cpu-µs/op")
}

// processor is the time that the process has used.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkEncode is the part of a call that is this package's own.
func BenchmarkEncode(b *testing.B) {
	s := &Session{keys: newKeyring(nil, nil)}
	s.keys.hide("tok-0123456789abcdef")
	u, err := address("https://api.example.com/things?page=1")
	if err != nil {
		b.Fatal(err)
	}
	resp := &send.Response{
		Status: 200, URL: u, Body: bytes.Repeat([]byte(`{"id":12345678,"name":"a"},`), 4096/27),
		Header: http.Header{"Content-Type": {"application/json"}, "Date": {"Thu, 01 Jan 2026 00:00:00 GMT"}, "Etag": {`"abcdef"`}, "Content-Length": {"4077"}},
	}
	b.ReportAllocs()
	for b.Loop() {
		s.encode(resp)
	}
}

// BenchmarkDecode is the other part.
func BenchmarkDecode(b *testing.B) {
	s := &Session{slots: map[string]*slot{}, agent: "pdpp-host (+github)"}
	slots, err := readSlots(network(), nil)
	if err != nil {
		b.Fatal(err)
	}
	s.slots = slots
	request := []byte(`{"method":"GET","url":"https://api.example.com/things?page=1","credential":"bearer","headers":{"accept":"application/json"}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.decode(request); err != nil {
			b.Fatal(err)
		}
	}
}
