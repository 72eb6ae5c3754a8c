package browser_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/browser"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// inTest stands in for the *testing.T of a connector's own test.
type inTest struct{ testing.TB }

func (inTest) Helper()                           {}
func (inTest) Logf(string, ...any)               {}
func (inTest) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// orders is a connector of a site without an API.
type orders struct{}

func (orders) Manifest() string {
	return `{"connector_key": "orders", "runtime_requirements": {
		"bindings": {"browser": {"required": true}, "interactive": {"required": false}},
		"browser": {"start_url": "https://shop.example/", "hosts": [{"host": "shop.example", "role": "provider", "reason": "x"}]}},
		"streams": [{"name": "orders", "primary_key": ["id"], "semantics": "mutable_state"}]}`
}

func (orders) Collect(h *sdk.Host) error {
	page, err := browser.Of(h).Open("https://shop.example/orders")
	if err != nil {
		return err
	}
	if at, err := page.Wait(browser.Visible("li.order"), browser.Visible("#puzzle")); err != nil {
		return err
	} else if at == 1 {
		if err := solved(h, page); err != nil {
			return err
		}
	}
	ids, err := page.Texts("li.order b")
	if err != nil {
		return err
	}
	list, err := h.Enumerate("orders", "", "")
	if err != nil {
		return err
	}
	for _, id := range ids {
		order := h.Record("orders")
		order.String("id", id)
		if err := order.Emit(); err != nil {
			return err
		}
	}
	if err := list.Whole(); err != nil {
		return err
	}
	return h.State("orders", []byte("{}"))
}

// solved has the owner solve a puzzle, which no connector does.
func solved(h *sdk.Host, page *browser.Page) error {
	needed := &sdk.Failure{Code: "orders_session_required", Message: "the shop asks for its owner", Hint: "manual_action_required"}
	if !h.Interactive() {
		return needed
	}
	ok, err := page.HandOver(abi.HandoffCaptcha, "Solve the puzzle.", &abi.HandoffDone{Session: []string{"solved"}})
	if err != nil {
		return err
	}
	if !ok {
		return needed
	}
	return page.Goto("https://shop.example/orders")
}

// A page's texts become records. The test has no browser: it says what selectors find.
func ExamplePage_Texts() {
	site := &sdktest.Site{Pages: map[string]*sdktest.SitePage{
		"https://shop.example/orders": {Texts: map[string][]string{"li.order": {"1001 tea"}, "li.order b": {"1001", "1002"}}},
	}}
	run := sdktest.Collect(inTest{}, orders{}, sdktest.Options{Site: site})
	fmt.Println(run.Keys("orders"))
	// Output: [1001 1002]
}

// An owner acts on a page where a connector cannot.
func ExamplePage_HandOver() {
	site := &sdktest.Site{}
	site.Pages = map[string]*sdktest.SitePage{"https://shop.example/orders": {
		Texts: map[string][]string{"#puzzle": {"Which of these is a cat?"}},
		Owner: func(s *sdktest.Site) string {
			s.Pages["https://shop.example/orders"].Texts = map[string][]string{"li.order": {"1001 tea"}, "li.order b": {"1001"}}
			return ""
		},
	}}
	run := sdktest.Collect(inTest{}, orders{}, sdktest.Options{Site: site, Answer: func(in abi.Interaction) abi.InteractionResponse {
		fmt.Println(in.Message, in.Browser.Reason)
		return abi.InteractionResponse{Status: abi.ResponseSuccess}
	}})
	fmt.Println(run.Keys("orders"))
	// Output:
	// Solve the puzzle. captcha
	// [1001]
}

// pictured is a connector of a page that asks for its data itself, with an image of it.
type pictured struct{}

func (pictured) Manifest() string {
	return `{"connector_key": "orders", "runtime_requirements": {
		"bindings": {"browser": {"required": true}},
		"browser": {"start_url": "https://shop.example/", "screenshots": true, "hosts": [{"host": "shop.example", "role": "provider", "reason": "x"}]}},
		"streams": [{"name": "orders", "primary_key": ["id"], "semantics": "mutable_state"}]}`
}

func (pictured) Collect(h *sdk.Host) error {
	page, err := browser.Of(h).Open("https://shop.example/")
	if err != nil {
		return err
	}
	if err := page.Capture("https://shop.example/api/"); err != nil {
		return err
	}
	if err := page.Quiet("https://shop.example/orders"); err != nil {
		return err
	}
	answer, dropped, err := page.Captured()
	if err != nil {
		return err
	}
	if err := page.CaptureNoMore(); err != nil {
		return err
	}
	picture, err := page.Screenshot("")
	if err != nil {
		return err
	}
	order := h.Record("orders")
	order.String("id", fmt.Sprintf("%s %d, %d dropped, %d bytes", answer.URL, answer.Status, dropped, len(picture)))
	if err := order.Emit(); err != nil {
		return err
	}
	return h.State("orders", []byte("{}"))
}

// A page that asks for its data itself is watched while it does.
func ExamplePage_Capture() {
	site := &sdktest.Site{
		Pages: map[string]*sdktest.SitePage{"https://shop.example/orders": {Title: "Orders"}},
		Answers: map[string][]sdktest.SiteAnswer{"https://shop.example/orders": {
			{URL: "https://shop.example/icon.png", Status: 200}, {URL: "https://shop.example/api/orders", Status: 200, Body: []byte(`[]`)},
		}},
	}
	run := sdktest.Collect(inTest{}, pictured{}, sdktest.Options{Site: site})
	fmt.Println(run.Keys("orders"))
	// Output: [https://shop.example/api/orders 200, 0 dropped, 67 bytes]
}

// notes is a connector whose site knows its owner behind a form, and has its list as JSON.
type notes struct{ orders }

var login = browser.Login{
	Site: "the shop", Home: "https://shop.example/", Known: "#account", Form: "https://shop.example/login", Send: "#next", Wrong: "#wrong",
	Fields: []browser.Filled{{Selector: "#word", Credential: "password"}},
}

func (notes) Collect(h *sdk.Host) error {
	page, err := login.Establish(h)
	if err != nil {
		return err
	}
	page.Carry() // sends what package api asks for
	return api.Collect(h, api.Provider{Origin: "https://shop.example"}, api.Table{Streams: []api.Stream{
		api.List{Name: "orders", Pager: api.OnePage("/orders.json", ""), Row: func(r *sdk.Record, v jsonvalue.Value) { r.Copy("id", v.Get("id")) }}.Stream(),
	}})
}

// A form signs the owner in, whose page then carries the requests of package api.
func ExampleLogin_Establish() {
	form := &sdktest.SitePage{Texts: map[string][]string{"#word": {""}, "#next": {"Next"}}}
	site := &sdktest.Site{Pages: map[string]*sdktest.SitePage{login.Home: {Title: "Shop"}, login.Form: form}}
	form.Clicks = map[string]func(*sdktest.Site) string{"#next": func(s *sdktest.Site) string {
		s.Pages[login.Home].Texts = map[string][]string{login.Known: {"Ada"}}
		return login.Home
	}}
	site.Fetch = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `[{"id": "1001"}]`) })
	run := sdktest.Collect(inTest{}, notes{}, sdktest.Options{Site: site, Credentials: map[string]bool{"password": true}})
	fmt.Println(site.Filled["#word"], run.Keys("orders"))
	// Output: {password} [1001]
}
