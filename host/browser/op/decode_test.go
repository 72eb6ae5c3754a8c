package op

import (
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// A request has the members that there are, within their sizes, and nothing behind it.
func TestDecode(t *testing.T) {
	t.Parallel()
	for request, want := range map[string]abi.Code{
		`{"do":"pages"}`: "",
		`{"do":"goto","page":3,"url":"https://x"}`: "",
		`{}`:                                   abi.CodeBrowserUnknown,
		`{"do":"route"}`:                       abi.CodeBrowserUnknown,
		`{"do":"pages","cdp":"Page.navigate"}`: abi.CodeBrowserRequest,
		`{"do":"pages"}{"do":"pages"}`:         abi.CodeBrowserRequest,
		`[]`:                                   abi.CodeBrowserRequest,
		``:                                     abi.CodeBrowserRequest,
		`{"do":"pages","page":-1}`:             abi.CodeBrowserRequest,
		`{"do":"open","until":"dawn"}`:         abi.CodeBrowserRequest,
		`{"do":"wait","timeout_ms":300001}`:    abi.CodeBrowserRequest,
		`{"do":"wait","any":[{}]}`:             abi.CodeBrowserRequest,
		`{"do":"wait","any":[{"selector":"a","state":"gone"}]}`:                                abi.CodeBrowserRequest,
		`{"do":"fill","value":"` + strings.Repeat("x", abi.BrowserValue+1) + `"}`:              abi.CodeBrowserRequest,
		`{"do":"eval","fn":"` + strings.Repeat("x", abi.BrowserSource+1) + `"}`:                abi.CodeBrowserRequest,
		`{"do":"probe","selectors":["a"` + strings.Repeat(`,"a"`, abi.BrowserSelectors) + `]}`: abi.CodeBrowserRequest,
		`{"do":"eval","fn":"` + strings.Repeat("x", abi.BrowserRequestBytes) + `"}`:            abi.CodeBrowserRequest,
	} {
		r, err := Decode([]byte(request))
		if want == "" && (err != nil || r.Page == 0) || want != "" && abi.CodeOf(err) != want {
			t.Errorf("%.60s: got %+v, %v, want %q", request, r, err, want)
		}
	}
	if r, err := Decode([]byte(`{"do":"fetch"}`)); err != nil || Deadline(r) != 5*time.Minute {
		t.Errorf("got %v, want the time of fetch", err)
	}
}

// A guest's request is refused with a code, or is within its limits.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"do":"eval","fn":"() => 1","args":[1,{"a":null}]}`))
	f.Add([]byte(`{"do":"wait","any":[{"selector":"a","text":"b"}],"timeout_ms":5}`))
	f.Add([]byte(`{"do":"fetch","requests":[{"url":"https://x","headers":{"a":"b"}}]}`))
	f.Fuzz(func(t *testing.T, request []byte) {
		r, err := Decode(request)
		switch {
		case err != nil:
			if c := abi.CodeOf(err); c != abi.CodeBrowserRequest && c != abi.CodeBrowserUnknown {
				t.Errorf("got %v, want one of the codes for that", err)
			}
		case r.Page < 1 || len(r.Requests) > abi.BrowserFetches || len(r.Fn) > abi.BrowserSource || Deadline(r) <= 0 || Deadline(r) > abi.BrowserMostMS*time.Millisecond:
			t.Errorf("got %+v, want a request within its limits", r)
		}
	})
}

// A selector while the owner is signed in cannot ask for what is typed.
func TestPlainSelectors(t *testing.T) {
	t.Parallel()
	for selector, want := range map[string]bool{
		"#password": true, "form.login > input[name=user]": true, `button[type="submit"]`: true, "input[type='password']": true, "": true,
		"li:nth-child(2) a, h1": true, "[autocomplete=one-time-code]": true, "button:enabled": true,
		"input[value^=h]": false, `input[value="hunter2"]`: false, `[\76 alue]`: false, ":has([value])": false, "input:valid": false, "input:not([name])": false,
		"[name^=p]": false, "[data-value=h]": false, "input:placeholder-shown": false, `[name="a\"b"]`: false, ":is(input)": false, "a/*x*/b": false, "[name=a i]": false,
	} {
		if got := plain.MatchString(selector); got != want {
			t.Errorf("%q: got %v, want %v", selector, got, want)
		}
	}
}
