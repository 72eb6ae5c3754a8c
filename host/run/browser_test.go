package run

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// machine is a Browser that is there, or is not.
type machine struct{ missing error }

func (m machine) Missing(*abi.BrowserRequirements) error { return m.missing }

func (m machine) Open(context.Context, BrowserRun) (Browsing, error) { return nil, errTest }

// A browser is granted under either of its names where there is one and the manifest says where
// its pages go; who needs it and gets none is told what is missing (BR-04.1, RT-06).
func TestBrowserBinding(t *testing.T) {
	t.Parallel()
	missing := abi.NewError(abi.CodeBrowserMissing, "no browser was found", "apt-get install chromium")
	asks := &abi.BrowserRequirements{StartURL: "https://shop.example/"}
	for name, c := range map[string]struct {
		binding  string
		required bool
		browser  Browser
		asks     *abi.BrowserRequirements
		hint     string // of the refusal; "": none
		granted  bool
		code     abi.Code // of the refusal
	}{
		"there":                {abi.BindingBrowser, true, machine{}, asks, "", true, ""},
		"by its other name":    {abi.BindingBrowserLegacy, true, machine{}, asks, "", true, ""},
		"not installed":        {abi.BindingBrowser, true, machine{missing}, asks, "apt-get install chromium", false, abi.CodeBrowserRuntime},
		"optional":             {abi.BindingBrowser, false, machine{missing}, asks, "", false, ""},
		"nowhere to go":        {abi.BindingBrowser, true, machine{}, nil, "runtime_requirements.browser", false, abi.CodeBindingMissing},
		"a collector has none": {abi.BindingBrowserLegacy, true, nil, asks, "on the host itself", false, abi.CodeBindingMissing},
	} {
		m := &abi.Manifest{Requirements: abi.RuntimeRequirements{Bindings: map[string]abi.Binding{c.binding: {Required: c.required}}, Browser: c.asks}}
		g, err := New(Deps{Sender: &fakeSender{}, Browser: c.browser}).matchBindings(m, nil, nil)
		if c.hint != "" {
			var e *abi.Error
			if !errors.As(err, &e) || e.Code != c.code || !strings.Contains(e.Message, "required binding: browser") || !strings.Contains(e.Hint, c.hint) {
				t.Errorf("%s: got %v, want the browser refused with %s and %q", name, err, c.code, c.hint)
			}
			continue
		}
		if err != nil || (g.start.Browser != nil) != c.granted || g.grant.Bindings[abi.BindingBrowser] != c.granted {
			t.Errorf("%s: got %+v, %v, want granted %v", name, g, err, c.granted)
		}
	}
}
