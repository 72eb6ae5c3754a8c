package main

import (
	"errors"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/invocation"
)

// LC-08.5: what is shown names the home folder as ~ only.
func TestHomelyErrors(t *testing.T) {
	t.Parallel()
	a := &app{invocation.Invocation{Home: "/home/ada"}}
	cause := errors.New("cause")
	err := a.homely(abi.NewError("profile.missing", "no /home/ada/x", "chmod 600 /home/ada/x /home/adam/x").WithDetail("/home/ada/y").Wrap(cause))
	var e *abi.Error
	if !errors.As(err, &e) || e.Code != "profile.missing" || e.Message != "no ~/x" || e.Hint != "chmod 600 ~/x /home/adam/x" || e.Detail != "~/y" || !errors.Is(err, cause) {
		t.Errorf("%#v", err)
	}
	for _, home := range []string{"", "/"} {
		a := &app{invocation.Invocation{Home: home}}
		if got := a.short("/etc/x"); got != "/etc/x" {
			t.Errorf("%q: %s", home, got)
		}
	}
	if a.homely(nil) != nil || !errors.Is(a.homely(cause), cause) {
		t.Error("another error was changed")
	}
}
