package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/web/listen"
)

func (h *host) show(code string, edit ...func(*http.Request)) (answered, device.Enrollment) {
	h.t.Helper()
	a := h.ask(http.MethodPost, device.PathEnroll, device.EnrollRequest{Code: code, DeviceLabel: "laptop", AgentVersion: "1+source"}, edit...)
	var e device.Enrollment
	if a.status == http.StatusCreated {
		if err := json.Unmarshal(a.body, &e); err != nil {
			h.t.Fatal(err)
		}
	}
	return a, e
}

// A code whose answer was lost gives the same device another credential, and the
// first one ends. Once a credential was used the code is spent.
func TestACodeShownAgainRotatesTheCredential(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	code := h.code("laptop", time.Hour)
	_, first := h.show(code)
	_, second := h.show(code)
	if first.DeviceID == "" || first.DeviceID != second.DeviceID || first.SourceInstanceID != second.SourceInstanceID || first.DeviceToken == second.DeviceToken {
		t.Fatalf("%+v, then %+v", first, second)
	}
	state := device.PathState(first.DeviceID, first.SourceInstanceID)
	l := &lane{h, first}
	l.refuses(http.StatusUnauthorized, device.CodeUnauthorized, l.send(http.MethodGet, state, nil))
	l = &lane{h, second}
	l.must(http.StatusOK, l.send(http.MethodGet, state, nil), nil)
	a, _ := h.show(code)
	l.refuses(http.StatusBadRequest, device.CodeCodeUsed, a)
	l.must(http.StatusOK, l.send(http.MethodGet, state, nil), nil)
}

// The same binding enrolled on another machine keeps its connection, and the
// machine before may deliver no more.
func TestABindingKeepsItsConnection(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	before, after := h.enroll("laptop"), h.enroll("laptop")
	if before.ConnectorInstanceID != after.ConnectorInstanceID || before.DeviceID == after.DeviceID {
		t.Errorf("%+v, then %+v", before.Enrollment, after.Enrollment)
	}
	before.refuses(http.StatusUnauthorized, device.CodeUnauthorized, before.send(http.MethodPost, device.PathSelfRevoke(before.DeviceID), nil))
	if other := h.enroll("desktop"); other.ConnectorInstanceID == after.ConnectorInstanceID {
		t.Error("two bindings have one connection")
	}
}

func TestCodesCannotBeTriedAtWill(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	from := func(addr string) func(*http.Request) { return func(r *http.Request) { r.RemoteAddr = addr } }
	const wrong = "lde0000000000000000000000000000000000000000000000000000000000000000"
	for range attemptsOfAddress {
		if a, _ := h.show(wrong, from("192.0.2.1:1")); a.status != http.StatusUnauthorized {
			t.Fatalf("%d %s", a.status, a.body)
		}
	}
	good := h.code("laptop", time.Hour)
	a, _ := h.show(good, from("192.0.2.1:2"))
	if f := a.failure(t); a.status != http.StatusTooManyRequests || f.Code != device.CodeTooManyAttempts || a.head.Get("Retry-After") == "" {
		t.Errorf("%d %s %v", a.status, a.body, a.head)
	}
	if a, _ := h.show(good, from("192.0.2.2:1")); a.status != http.StatusCreated {
		t.Errorf("another address is held back too: %d %s", a.status, a.body)
	}
}

// Ten codes a minute of an address are tried in vain; one that was not in vain is not counted.
func TestAttemptsOfAnAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAttempts(time.Now)
		take := func(address string, vain bool) time.Duration {
			t.Helper()
			leave, wait, err := a.take(t.Context(), listen.AddressOf(address))
			if err != nil {
				t.Fatal(err)
			}
			if wait == 0 {
				leave(vain)
			}
			return wait
		}
		const one = "192.0.2.1:1"
		for range 3 {
			take(one, false)
		}
		for range attemptsOfAddress {
			if wait := take(one, true); wait != 0 {
				t.Fatalf("got %s to wait, want an attempt", wait)
			}
		}
		if wait := take(one, true); wait != attemptsEvery/attemptsOfAddress {
			t.Errorf("one more: got %s to wait, want %s", wait, attemptsEvery/attemptsOfAddress)
		}
		time.Sleep(attemptsEvery / attemptsOfAddress)
		if wait := take(one, true); wait != 0 {
			t.Errorf("when its time is over: got %s to wait, want an attempt", wait)
		}
	})
}

// No number of strangers keeps a good code waiting: each address tries on its own, and the store is asked by turns.
func TestStrangersKeepNoCodeWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAttempts(time.Now)
		for i := range 1000 {
			from := listen.AddressOf(fmt.Sprintf("[2001:db8:0:%x::1]:1", i))
			for range attemptsOfAddress {
				go func() {
					if leave, wait, err := a.take(t.Context(), from); wait == 0 && err == nil {
						time.Sleep(10 * time.Millisecond) // of the store
						leave(true)
					}
				}()
			}
		}
		synctest.Wait()
		at := time.Now()
		leave, wait, err := a.take(t.Context(), listen.AddressOf("192.0.2.1:1"))
		if took := time.Since(at); err != nil || wait != 0 || took > attemptsWait {
			t.Fatalf("got %s to wait, %v after %s, want a turn", wait, err, took)
		}
		leave(false)
		time.Sleep(attemptsEvery)
	})
}

// A code that never was is told apart from one that is spent, and so is one that is
// no code at all.
func TestACodeThatNeverWas(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for _, code := range []string{"lde" + strings.Repeat("0", 64), "lde1", ""} {
		a, _ := h.show(code)
		if f := a.failure(t); a.status != http.StatusUnauthorized || f.Code != device.CodeUnauthorized || !strings.Contains(f.Message, "there is no such enrollment code") {
			t.Errorf("%q: %d %s", code, a.status, a.body)
		}
	}
}
