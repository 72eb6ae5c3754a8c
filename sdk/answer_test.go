package sdk_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/internal/link"
)

// parrot is a host that answers http and gaps with fixed bytes.
type parrot struct {
	rude
	start   string
	answers map[abi.Operation]string
	handle  int32
	open    map[int32]string
	waiting []int32
}

func (p *parrot) Submit(op int32, _ []byte) int32 {
	p.handle++
	p.waiting = append(p.waiting, p.handle)
	answer := p.answers[abi.Operation(op)]
	if abi.Operation(op) == abi.OpStart {
		answer = p.start
	}
	if abi.Operation(op) == abi.OpGaps {
		p.answers[abi.OpGaps] = "{}" // the second page is the end
	}
	if p.open == nil {
		p.open = make(map[int32]string)
	}
	p.open[p.handle] = answer
	return p.handle
}

func (p *parrot) Wait(int32) int64 {
	if len(p.waiting) == 0 {
		return -1
	}
	handle := p.waiting[0]
	p.waiting = p.waiting[1:]
	return int64(handle)<<32 | int64(len(p.open[handle]))
}

func (p *parrot) Read(handle int32, dst []byte) int32 {
	n := copy(dst, p.open[handle])
	p.open[handle] = p.open[handle][n:]
	return int32(n)
}

var _ link.Native = (*parrot)(nil)

func fetchOf(answer string) (resp *sdk.Response, err error) { return fetchIn(0, answer) }

// fetchIn fetches in a page, or without one by the host.
func fetchIn(page int, answer string) (resp *sdk.Response, err error) {
	host := &parrot{start: `{"type":"START","scope":{"streams":[]}}`, answers: map[abi.Operation]string{abi.OpHTTP: answer, abi.OpBrowser: answer}}
	sdk.Serve(collect(func(h *sdk.Host) error {
		h.FetchIn(page)
		resp, err = h.Fetch(sdk.Request{URL: site})
		return nil
	}), host)
	return resp, err
}

func TestAnswerHeads(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		`{"status":200,"url":"u","headers":{}}` + "\n" + "a\nb": "200 u a\nb",
		`{"status":200}` + "\n":                                 "200  ",
		`{"status":200}`:                                        "200  ",
		``:                                                      "internal.error",
		"\n":                                                    "internal.error",
		`[]` + "\n":                                             "internal.error",
		`{"status":"200"}` + "\n":                               "internal.error",
		`{"status":99}` + "\n":                                  "internal.error",
		`{"status":2000000000000}` + "\n":                       "internal.error",
		`{"status":200.5}` + "\n":                               "internal.error",
		`{"error":{"code":"a.b","message":"m"}}`:                "a.b",
		`{"error":{}}` + "\n":                                   "internal.error",
		`{"error":null,"status":200}` + "\n":                    "internal.error",
	} {
		resp, err := fetchOf(answer)
		var got string
		if err != nil {
			got = err.Error()
		} else {
			got = fmt.Sprintf("%d %s %s", resp.Status, resp.URL, resp.Body)
		}
		if !strings.Contains(got, want) || err == nil && got != want {
			t.Errorf("%q: %q, want %q", answer, got, want)
		}
	}
}

// A page's answer to one request is read like the host's own, with the errors of both.
func TestAnswersOfPages(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		`{"results":[{"status":200,"url":"u","offset":1,"length":2}]}` + "\nabc": "200 u bc",
		`{"results":[{"status":404,"offset":0,"length":0}]}`:                     "404  ",
		`{"results":[{"status":200,"offset":1,"length":3}]}` + "\nabc":           "internal.error",
		`{"results":[{"status":200,"offset":-1,"length":1}]}` + "\nabc":          "internal.error",
		`{"results":[{"status":200,"offset":9223372036854775807,"length":1}]}`:   "internal.error",
		`{"results":[]}`: "internal.error",
		`{"results":[{"error":{"code":"send.rate_limited","message":"m","gap_reason":"rate_limited","final":true}}]}`: "m [send.rate_limited] final",
		`{"results":[{"error":{"code":"browser.host_refused","message":"m"}}]}`:                                       "m [browser.host_refused] once",
		`{"error":{"code":"browser.timeout","message":"m","retryable":true}}`:                                         "m [browser.timeout] again",
	} {
		resp, err := fetchIn(3, answer)
		var got string
		if err == nil {
			got = fmt.Sprintf("%d %s %s", resp.Status, resp.URL, resp.Body)
		} else {
			got = err.Error()
			if e, is := sdk.AsFetchError(err); is && e.Final {
				got += " final"
			} else if f, is := sdk.AsFailure(err); is && f.Retryable && abi.CodeOf(err) == abi.CodeBrowserTimeout {
				got += " again"
			} else if !is && strings.HasPrefix(string(abi.CodeOf(err)), "browser.") {
				got += " once"
			}
		}
		if !strings.Contains(got, want) || err == nil && got != want {
			t.Errorf("%q: %q, want %q", answer, got, want)
		}
	}
}

// A page adds no credential, so a request that asks for one is not sent.
func TestPagesSendNoCredential(t *testing.T) {
	t.Parallel()
	host := &parrot{start: `{"type":"START","scope":{"streams":[]}}`}
	sdk.Serve(collect(func(h *sdk.Host) error {
		h.FetchIn(1)
		if _, err := h.Fetch(sdk.Request{URL: site, Credential: "token"}); abi.CodeOf(err) != abi.CodeBrowserRequest {
			t.Errorf("got %v, want %s", err, abi.CodeBrowserRequest)
		}
		return nil
	}), host)
}

// For any answer of the host, a Fetch gives a response or an error, and a lane that got
// it ends.
func FuzzAnswer(f *testing.F) {
	f.Add(`{"status":200,"url":"u","headers":{"A":"b"}}`+"\nbody", `[{"gap_id":"g","lease_id":"l","stream":"details","record_key":"k","detail_locator":{}}]`)
	f.Add(`{"error":{"code":"c","message":"x_rate_limited","gap_reason":"rate_limited","final":true}}`,
		`[{"gap_id":"g","stream":"pairs","record_key":"[\"a\",\"b\"]"},{"gap_id":"g2","stream":"details","record_key":"backlog:details:x","detail_locator":{"kind":"backlog","before_update_time":"2026-01-01"}}]`)
	f.Add("\n", `{"a":[]}`)
	f.Fuzz(func(t *testing.T, answer, gaps string) {
		host := &parrot{
			start:   `{"type":"START","scope":{"streams":[{"name":"items"},{"name":"details"}]},"detail_gaps":` + gaps + `}`,
			answers: map[abi.Operation]string{abi.OpHTTP: answer, abi.OpGaps: `{"detail_gaps":` + gaps + `}`},
		}
		if exit := sdk.Serve(lister{}, host); exit != 0 || host.done == "" {
			t.Errorf("exit %d, DONE %s, want 0 and not \"\"", exit, host.done)
		}
		if resp, err := fetchIn(1, answer); (resp == nil) == (err == nil) {
			t.Errorf("in a page: response %+v, error %v, want one of the two", resp, err)
		}
		resp, err := fetchOf(answer)
		if (resp == nil) == (err == nil) {
			t.Errorf("response %+v, error %v, want one of the two", resp, err)
		}
		if resp != nil && (resp.Status < 100 || resp.Header("a") == "\x00") {
			t.Errorf("response %+v, want a status from 100 on and headers without NUL", resp)
		}
	})
}
