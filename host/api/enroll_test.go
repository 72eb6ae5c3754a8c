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

func TestAttemptsByWindow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &attempts{now: time.Now}
		one := listen.AddressOf("192.0.2.1:1")
		for range attemptsOfAddress {
			if _, ok := a.take(one); !ok {
				t.Fatal("refused too early")
			}
		}
		time.Sleep(attemptsEvery / 4)
		if wait, ok := a.take(one); ok || wait != attemptsEvery*3/4 {
			t.Errorf("%v %v", wait, ok)
		}
		a.forgive(one) // one of them was none in vain
		if _, ok := a.take(one); !ok {
			t.Error("what was forgiven still counts")
		}
		for n := range attemptsInAll {
			if _, ok := a.take(listen.AddressOf(fmt.Sprintf("[2001:db8:0:%x::1]:1", n))); ok != (n < attemptsInAll-attemptsOfAddress) {
				t.Fatalf("attempt %d: %v", n+attemptsOfAddress, ok)
			}
		}
		time.Sleep(attemptsEvery * 3 / 4)
		if _, ok := a.take(one); !ok || len(a.by) != 1 {
			t.Errorf("a new window: %v, %d addresses", ok, len(a.by))
		}
		a.forgive(listen.AddressOf("192.0.2.77:1")) // of a window that has passed
		if a.all != 1 {
			t.Errorf("%d are counted", a.all)
		}
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
