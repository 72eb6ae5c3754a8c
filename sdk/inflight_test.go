package sdk_test

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// path answers with the path.
var path = serve(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL.Path) })

// numbered makes requests /1, /2, … up to n.
func numbered(n int) func() (sdk.Request, bool) {
	i := 0
	return func() (sdk.Request, bool) {
		i++
		return sdk.Request{URL: site + "/" + strconv.Itoa(i)}, i <= n
	}
}

// own fetches a path and checks that the answer is its own.
func own(t *testing.T, h *sdk.Host, p string) error {
	resp, err := h.Fetch(sdk.Request{URL: site + p})
	if err == nil && string(resp.Body) != p {
		t.Errorf("%s got the answer of %s", p, resp.Body)
	}
	return err
}

// Requests of other kinds go on while many are in flight, and no answer is lost:
// whichever order they arrive in, each reaches who asked.
func TestAnswersOfOthers(t *testing.T) {
	t.Parallel()
	for what, completes := range map[string]func(int) int{"oldest first": nil, "newest first": sdktest.Last} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			o := sdktest.Options{Provider: path, Completes: completes, Answer: func(abi.Interaction) abi.InteractionResponse {
				return abi.InteractionResponse{Status: abi.ResponseSuccess, Data: map[string]string{"code": "1"}}
			}}
			seen := make(map[string]int)
			res := fetching(t, o, func(h *sdk.Host) error {
				return h.FetchMany(63, numbered(200), func(r sdk.Request, resp *sdk.Response, err error) error {
					if err != nil || r.URL != site+string(resp.Body) {
						t.Errorf("%s: %v, want %s", r.URL, err, site+string(resp.Body))
						return err
					}
					seen[string(resp.Body)]++
					if len(seen)%50 != 0 {
						return nil
					}
					if err := own(t, h, "/own"); err != nil {
						return err
					}
					answer, err := h.Interact(abi.Interaction{Kind: abi.InteractionOTP, Message: "code?"})
					if err != nil || answer.Data["code"] != "1" {
						t.Errorf("%+v, %v, want answer.Data[\"code\"] = 1", answer, err)
					}
					// Many more, though the outer ones have all but one place.
					inner := 0
					err = h.FetchMany(63, numbered(70), func(r sdk.Request, resp *sdk.Response, err error) error {
						if inner++; err == nil && r.URL != site+string(resp.Body) {
							t.Errorf("%s got %s", r.URL, resp.Body)
						}
						return err
					})
					if inner != 70 {
						t.Errorf("%d of 70, want 70", inner)
					}
					return err
				})
			})
			if len(seen) != 200 || res.Done.Status != abi.DoneSucceeded {
				t.Errorf("%d answers, %+v, want len(seen) = 200 and Done.Status = %v", len(seen), res.Done, abi.DoneSucceeded)
			}
		})
	}
}

// FetchMany ends at once on an error of each, and the requests still in flight disturb
// no later call, however often that happens.
func TestFetchManyGivesUp(t *testing.T) {
	t.Parallel()
	enough := errors.New("enough")
	res := fetching(t, sdktest.Options{Provider: path}, func(h *sdk.Host) error {
		for range 10 {
			answers := 0
			err := h.FetchMany(40, numbered(100), func(sdk.Request, *sdk.Response, error) error {
				if answers++; answers == 3 {
					return enough
				}
				return nil
			})
			if !errors.Is(err, enough) || answers != 3 {
				t.Errorf("%v after %d, want %v and 3", err, answers, enough)
			}
			if err := own(t, h, "/own"); err != nil {
				return err
			}
			// The abandoned answers came first, and are not kept.
			if n := h.Outstanding(); n != 0 {
				t.Errorf("%d answers are kept, want 0", n)
			}
		}
		return nil
	})
	if res.Done.Status != abi.DoneSucceeded {
		t.Errorf("%+v, want Done.Status = %v", res.Done.Error, abi.DoneSucceeded)
	}
}

// Asked to stop, FetchMany asks for nothing more.
func TestFetchManyStops(t *testing.T) {
	t.Parallel()
	o := sdktest.Options{Provider: path, StopAfter: 5}
	res := fetching(t, o, func(h *sdk.Host) error {
		return h.FetchMany(4, numbered(100), func(sdk.Request, *sdk.Response, error) error {
			return h.Skip(abi.SkipResult{Reason: "test_one"})
		})
	})
	if res.Done.Status != abi.DoneCancelled || len(res.Requests) != 4+4 {
		t.Errorf("%+v after %d requests, want Done.Status = %v and len(res.Requests) = 4+4", res.Done, len(res.Requests), abi.DoneCancelled)
	}
}

// After a final failure nothing more is requested, and FetchMany waits for the requests
// in flight.
func TestFetchManyFinal(t *testing.T) {
	t.Parallel()
	asked, answers, failures := 0, 0, 0
	o := sdktest.Options{Provider: path, Fails: func(*http.Request) *abi.HTTPFailure {
		if asked++; asked == 3 {
			return &abi.HTTPFailure{Code: "c", Message: "m", Final: true}
		}
		return nil
	}}
	fetching(t, o, func(h *sdk.Host) error {
		return h.FetchMany(4, numbered(100), func(_ sdk.Request, resp *sdk.Response, err error) error {
			if e, ok := sdk.AsFetchError(err); ok && e.Final && resp == nil {
				failures++
			}
			answers++
			return nil
		})
	})
	if failures != 1 || answers != 6 || asked != 6 { // 4, and one more for each of the two before it
		t.Errorf("%d failures, %d answers, %d requests, want 1, 6 and 6", failures, answers, asked)
	}
}

// next is called again after each answer, so a request that an answer names is fetched
// in the same round.
func TestFetchManyGrows(t *testing.T) {
	t.Parallel()
	todo := []string{"/1"}
	var got []string
	fetching(t, sdktest.Options{Provider: path}, func(h *sdk.Host) error {
		return h.FetchMany(8, func() (sdk.Request, bool) {
			if len(todo) == 0 {
				return sdk.Request{}, false
			}
			p := todo[0]
			todo = todo[1:]
			return sdk.Request{URL: site + p}, true
		}, func(_ sdk.Request, resp *sdk.Response, err error) error {
			if got = append(got, string(resp.Body)); len(got) < 4 {
				todo = append(todo, string(resp.Body)+"/a")
			}
			return err
		})
	})
	is(t, "paths", got, "/1", "/1/a", "/1/a/a", "/1/a/a/a")
}

// A request that the host cannot accept fails its sender and nobody else.
func TestRequestTooLarge(t *testing.T) {
	t.Parallel()
	large := sdk.Request{URL: site + "/", Method: "POST", Body: make([]byte, abi.MaxSubmitBytes)}
	res := fetching(t, sdktest.Options{Provider: path}, func(h *sdk.Host) error {
		_, err := h.Fetch(large)
		if !errors.Is(err, &abi.Error{Code: abi.CodeCallTooLarge}) {
			t.Errorf("%v, want %v", err, &abi.Error{Code: abi.CodeCallTooLarge})
		}
		asked, refused := numbered(3), 0
		err = h.FetchMany(2, func() (sdk.Request, bool) {
			r, ok := asked()
			if r.URL == site+"/2" {
				return large, true
			}
			return r, ok
		}, func(_ sdk.Request, resp *sdk.Response, err error) error {
			if resp == nil && err != nil {
				refused++
			}
			return nil
		})
		if refused != 1 {
			t.Errorf("%d refused, want 1", refused)
		}
		return err
	})
	if len(res.Requests) != 2 {
		t.Errorf("%d requests, want 2", len(res.Requests))
	}
}

// A record does not wait in the module for answers of other requests: it goes to the
// host before the wait for the next one.
func TestRecordsAreSentBeforeAWait(t *testing.T) {
	t.Parallel()
	res := fetching(t, sdktest.Options{Provider: path}, func(h *sdk.Host) error {
		return h.FetchMany(2, numbered(4), func(r sdk.Request, _ *sdk.Response, err error) error {
			if err != nil {
				return err
			}
			rec := h.Record("items")
			rec.String("id", r.URL)
			return rec.Emit()
		})
	})
	emits := 0
	for _, c := range res.Calls {
		if c.Name == "emit" {
			emits++
		}
	}
	if len(res.All) != 4 || emits != 4 {
		t.Errorf("%d records in %d calls of emit, want 4 in 4", len(res.All), emits)
	}
}
