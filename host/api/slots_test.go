package api

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/wire"
)

// RD-57: a device has a few requests at a time and the host a few more, which no reader takes:
// the rest come again, and nobody waits.
func TestAsManyRequestsAsThereIsRoomFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWaiting()
		a := over(w)
		h := &host{API: a, t: t}
		l := &lane{h, device.Enrollment{DeviceID: "dev", DeviceToken: "ldt" + strings.Repeat("0", 64)}}
		answers := make(chan answered, mostOfDevice)
		for range mostOfDevice {
			go func() { answers <- l.send(http.MethodGet, device.PathState("dev", "src"), nil) }()
		}
		synctest.Wait()
		over := l.send(http.MethodGet, device.PathState("dev", "src"), nil)
		if l.refuses(http.StatusServiceUnavailable, device.CodeRetryable, over); over.head.Get("Retry-After") != "1" {
			t.Errorf("%v", over.head)
		}
		for a.slots.take() { //nolint:revive // until there are no more
		}
		l.refuses(http.StatusServiceUnavailable, device.CodeRetryable, l.send(http.MethodGet, device.PathState("other", "src"), nil))
		for range mostOfDevice { // who has no credential has slots apart
			l.must(http.StatusUnauthorized, h.ask(http.MethodPost, device.PathEnroll, device.EnrollRequest{}), nil)
			if !a.slots.takeDevice(nobody) {
				t.Fatal("enrolling has no slots of its own")
			}
		}
		l.refuses(http.StatusServiceUnavailable, device.CodeRetryable, h.ask(http.MethodPost, device.PathEnroll, device.EnrollRequest{}))
		for range mostOfDevice {
			a.slots.giveDevice(nobody)
		}
		for range mostInAll - mostOfDevice {
			a.slots.give()
		}
		for range mostHeavy {
			if !a.slots.takeHeavy(t.Context()) {
				t.Fatal("there is no room for bodies")
			}
		}
		close(w.let)
		for range mostOfDevice {
			l.must(http.StatusOK, <-answers, nil)
		}
		began := time.Now()
		l.refuses(http.StatusServiceUnavailable, device.CodeRetryable, l.send(http.MethodPut, device.PathState("dev", "src"), "{}"))
		if time.Since(began) != heavyWait {
			t.Errorf("it waited for %v", time.Since(began))
		}
		go func() {
			time.Sleep(heavyWait / 2)
			for range mostHeavy {
				a.slots.giveHeavy()
			}
		}()
		l.must(http.StatusBadRequest, l.send(http.MethodPut, device.PathState("dev", "src"), "{}"), nil)
		synctest.Wait()
		if s := a.slots; s.all != 0 || len(s.heavy) != 0 || len(s.devices) != 0 {
			t.Errorf("%d, %d and %v are still held", s.all, len(s.heavy), s.devices)
		}
	})
}

// A client that drops the connection frees its slots too.
func TestAnAbortedRequestGivesItsSlotsBack(t *testing.T) {
	t.Parallel()
	a := over(aborting{})
	l := &lane{&host{API: a, t: t}, device.Enrollment{DeviceToken: "ldt" + strings.Repeat("0", 64)}}
	func() {
		defer func() {
			if p := recover(); p != http.ErrAbortHandler { //nolint:errorlint // net/http compares it so
				t.Errorf("%v", p)
			}
		}()
		l.send(http.MethodPost, device.PathHeartbeat("dev"), "{}")
	}()
	if a.slots.all != 0 {
		t.Error("a slot is held")
	}
}

type aborting struct{ Store }

func (aborting) DeviceByToken(context.Context, string) (*storage.Device, error) {
	panic(http.ErrAbortHandler)
}

// A client that sends its code slowly keeps nobody else from enrolling.
func TestSlowCodesTakeNoSlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := wire.NewPipes()
		ctx, stop := context.WithCancel(t.Context())
		served := make(chan error, 1)
		a := over(newWaiting())
		go func() { served <- Serve(ctx, l, a, slog.New(slog.DiscardHandler)) }()
		for range mostOfDevice {
			conn := l.Dial()
			defer conn.Close()
			_, err := io.WriteString(conn, "POST /_ref/device-exporters/enroll HTTP/1.1\r\nHost: h\r\nX-PDPP-Collector-Protocol: 1\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{")
			if err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		h := &host{API: a, t: t}
		if answer := h.ask(http.MethodPost, device.PathEnroll, device.EnrollRequest{}); answer.status != http.StatusUnauthorized {
			t.Errorf("%d %s", answer.status, answer.body)
		}
		time.Sleep(codeTime)
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}
