package console

import (
	"image/color"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/handed"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pages"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/served"
)

// typed is what an owner types into a page.
const typed = "hunter2typed"

// handover is a console whose owner has a page in hand, and no browser behind it.
type handover struct {
	*handed.Surface

	page   *handoff.Handoff
	server *httptest.Server
	cookie *http.Cookie
}

// handedOver returns a host that serves, with a question of a run that waits for a page.
func handedOver(t *testing.T) *handover {
	t.Helper()
	h := served.New(t)
	o := &handover{Surface: handed.New("accounts.shop.example", "Sign in to the shop")}
	o.Show(handed.Picture(1280, 720, color.RGBA{R: 200, A: 255}))
	conn, err := h.Store.EnsureConnection(t.Context(), "shop", "scripted")
	ok(t, err)
	_, err = h.Store.BeginRun(t.Context(), storage.NewRun{
		RunID: "run_handed", ConnectionID: conn.ID, Connector: conn.Connector, Mode: abi.ModeIncremental, Bookmark: storage.BookmarkIncremental, Holder: "a test",
		Streams: []string{"notes"}, LeaseTTL: time.Hour,
	})
	ok(t, err)
	ok(t, h.Store.OpenQuestion(t.Context(), storage.Question{
		ID: "q_handed", RunID: "run_handed", ConnectionID: conn.ID, Kind: abi.InteractionManualAction, Message: "Sign in, please", Deadline: time.Now().Add(time.Hour),
	}))
	o.page = h.Server.Handoffs.Open(handoff.Opening{
		ID: "q_handed", ConnectionID: conn.ID, Connection: "shop", RunID: "run_handed", Reason: "login", Deadline: time.Now().Add(time.Hour),
	}, o.Surface)
	t.Cleanup(func() { o.page.End(handoff.OutcomeCancelled) })
	o.server = pages.Console(t, h.Server.Asks, h.Server, slog.New(slog.DiscardHandler))
	o.cookie = pages.SignIn(t, h.Owner, o.server)
	return o
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (o *handover) visit(t *testing.T, options browser.Options) *browser.Visitor {
	t.Helper()
	v := browser.Visit(t, o.server.URL, options)
	v.Give(o.cookie)
	return v
}

// does waits until the page was told to do something.
func (o *handover) does(t *testing.T, what string, is func(e handoff.Event) bool) handoff.Event {
	t.Helper()
	for end := time.Now().Add(browser.Patience); ; time.Sleep(10 * time.Millisecond) {
		all := o.Events()
		if i := slices.IndexFunc(all, is); i >= 0 {
			return all[i]
		}
		if time.Now().After(end) {
			t.Fatalf("got %+v on the page, want %s", all, what)
		}
	}
}

func did(do string) func(handoff.Event) bool {
	return func(e handoff.Event) bool { return e.Do == do }
}

const (
	isDrawn  = `document.getElementById("handoff-page").width === 1280 && !document.getElementById("handoff").hidden`
	isInside = `document.getElementById("handoff-page").classList.contains("inside")`
)

// isColoured holds where the middle of the picture has a colour.
func isColoured(as string) string {
	return `(() => { const [r, g] = document.getElementById("handoff-page").getContext("2d").getImageData(640, 360, 1, 1).data; return ` + as + `; })()`
}

// BR-15, OC-13: an owner opens the page of a question, sees it, and acts on it by the mouse, the
// keyboard, the fields beside it and the clipboard of a press. Two presses of Escape lead out of it.
func TestAPageInItsOwnersHands(t *testing.T) {
	t.Parallel()
	browser.Find(t)
	o := handedOver(t)
	p := o.visit(t, browser.Options{}).Page()
	p.Open("/connections/shop")
	p.See("accounts.shop.example", "Sign in")
	p.Open("/questions/q_handed")
	p.See("accounts.shop.example", "Time to act ends")
	p.Press("Open")
	p.At("/handoffs/q_handed")
	p.Holds(isDrawn)
	p.Holds(`document.querySelector("h1").innerText === "accounts.shop.example"`)
	p.Holds(isColoured("r > 150 && g < 60"))

	p.PressOne("#handoff-page", "")
	at := o.does(t, "a press in its middle", did(handoff.Down))
	if at.X < 630 || at.X > 650 || at.Y < 350 || at.Y > 370 {
		t.Errorf("got a press at %v, %v, want it in the middle of 1280 by 720", at.X, at.Y)
	}
	o.does(t, "its end", did(handoff.Up))
	p.Holds(isInside)
	p.Eval(`(() => { const page = document.getElementById("handoff-page"), at = page.getBoundingClientRect();
		for (const what of ["down", "up", "down", "up"]) page.dispatchEvent(new PointerEvent("pointer" + what,
			{isPrimary: true, pointerId: 1, pointerType: "mouse", button: 0, clientX: at.left + 40, clientY: at.top + 40, bubbles: true, cancelable: true})); })()`)
	o.does(t, "a double click", did(handoff.Double))
	if downs := len(slices.DeleteFunc(o.Events(), func(e handoff.Event) bool { return e.Do != handoff.Down })); downs != 2 {
		t.Errorf("got %d presses, want two: the first one, and that of the double click", downs)
	}
	p.Eval(`(() => { const page = document.getElementById("handoff-page"), at = page.getBoundingClientRect();
		for (const [what, x] of [["down", 140], ["up", 140], ["down", 140], ["move", 180], ["up", 180]]) page.dispatchEvent(new PointerEvent("pointer" + what,
			{isPrimary: true, pointerId: 1, pointerType: "mouse", button: 0, clientX: at.left + x, clientY: at.top + 40, bubbles: true, cancelable: true})); })()`)
	o.does(t, "a press that draws, behind a click", func(handoff.Event) bool {
		all := slices.DeleteFunc(o.Events(), func(e handoff.Event) bool { return e.Do != handoff.Down })
		return len(all) == 4 && all[3].X == all[2].X
	})
	p.Key("Tab")
	o.does(t, "the key Tab", func(e handoff.Event) bool { return e.Do == handoff.KeyDown && e.Key == "Tab" })
	p.Key("Space")
	o.does(t, "a space", func(e handoff.Event) bool { return e.Do == handoff.Text && e.Text == " " })
	p.Eval(`(() => { const d = new DataTransfer(); d.setData("text/plain", "pasted\nlines\u0007");
		document.activeElement.dispatchEvent(new ClipboardEvent("paste", {clipboardData: d, bubbles: true, cancelable: true})); })()`)
	o.does(t, "what was pasted", func(e handoff.Event) bool { return e.Do == handoff.Paste && e.Text == "pasted\nlines" })
	p.Key("Escape")
	o.does(t, "the first Escape", func(e handoff.Event) bool { return e.Key == "Escape" })
	p.Key("Escape")
	p.Holds("!" + isInside)
	before := len(o.Events())
	p.Key("Tab")
	p.Holds(`document.activeElement.id === "handoff-text"`)
	if got := o.Events(); len(got) > before+1 { // the end of the first Escape
		t.Errorf("outside of the page: got %+v on it, want nothing", got[before:])
	}
	p.Fill("Text for the page", typed)
	p.Press("Type it")
	o.does(t, "the text", func(e handoff.Event) bool { return e.Do == handoff.Text && e.Text == typed })
	p.Holds(`document.getElementById("handoff-text").value === ""`)
	p.Press("Reload")
	o.does(t, "to load it again", did(handoff.Reload))

	o.Change(func(s *handoff.State) {
		s.Refused, s.Told = []string{"captcha.example"}, handoff.ToldFileChooser
		s.Pages = append(s.Pages, handoff.PageShown{Number: 2, Host: "pay.example", Title: "Pay \u202e<b>now"})
	})
	p.See("The site wanted a file", "captcha.example")
	p.Press("Allow captcha.example")
	o.does(t, "to allow the host", func(e handoff.Event) bool { return e.Do == handoff.Allow && e.Host == "captcha.example" })
	p.Choose("Window", "Pay <b>now")
	o.does(t, "to show the other window", func(e handoff.Event) bool { return e.Do == handoff.Choose && e.Page == 2 })
	o.Change(func(s *handoff.State) { s.Page, s.Host, s.Refused = 2, "", nil })
	p.Holds(`document.querySelector("h1").innerText === "No site yet" && document.getElementById("handoff-refused").hidden`)
	o.Change(func(s *handoff.State) { s.Host = "pay.example" })
	p.Holds(`document.querySelector("h1").innerText === "pay.example"`)
	p.Press("Close this window")
	o.does(t, "to close it", func(e handoff.Event) bool { return e.Do == handoff.Close && e.Page == 2 })
	p.Choose("Size", "Tablet")
	o.does(t, "the size of a tablet", func(e handoff.Event) bool { return e.Do == handoff.Viewport && e.Viewport == "820x1180" })

	o.End(handoff.OutcomeDone)
	p.See("The page is done, and the run goes on")
	p.Holds(`document.getElementById("handoff").hidden && !document.getElementById("handoff-ending").checkVisibility()`)
	p.Press("What became of the question")
	p.At("/questions/q_handed")
}

// T14, BR-15: a page that is opened in a second tab shows nothing more in the first, which may take
// it back; one whose connection breaks is opened again by itself.
func TestAPageIsTakenOverAndComesBack(t *testing.T) {
	t.Parallel()
	browser.Find(t)
	o := handedOver(t)
	v := o.visit(t, browser.Options{})
	p, second := v.Page(), v.Page()
	p.Open("/handoffs/q_handed")
	p.Holds(isDrawn)
	second.Open("/handoffs/q_handed")
	second.Holds(isDrawn)
	p.See("opened in another tab or window")
	p.Holds(`document.getElementById("handoff").hidden && document.getElementById("handoff-page").width === 1`)
	p.Press("Open it here")
	p.Holds(isDrawn)
	second.See("opened in another tab or window")

	p.Away(true)
	second.Away(true)
	o.server.CloseClientConnections()
	p.See("The connection broke")
	o.Show(handed.Picture(1280, 720, color.RGBA{G: 200, A: 255}))
	p.Gone("The connection broke")
	p.Holds(isColoured("g > 150 && r < 60"))
	p.Away(false)
	p.Press("Back")
	o.does(t, "to go back", did(handoff.Back))

	other := o.visit(t, browser.Options{NoScripts: true}).Page()
	other.Open("/handoffs/q_handed")
	other.See("needs JavaScript", "accounts.shop.example", "I am done")
	other.PressOne("button", "I cannot")
	other.At("/questions/q_handed")
	other.See("The question is declined")
}

// OC-13: the page keeps nobody out, in both themes and in a narrow window, where it shows a page of
// a phone's size.
func TestAPageInHandIsAccessible(t *testing.T) {
	t.Parallel()
	browser.Find(t)
	browser.NeedAxe(t)
	for look, options := range looks {
		t.Run(look, func(t *testing.T) {
			t.Parallel()
			o := handedOver(t)
			o.Change(func(s *handoff.State) { s.Refused, s.Told = []string{"captcha.example"}, handoff.ToldDialog })
			p := o.visit(t, options).Page()
			p.Open("/handoffs/q_handed")
			p.Holds(isDrawn)
			if options.Width > 0 {
				o.does(t, "the size of a phone", func(e handoff.Event) bool { return e.Viewport == "390x844" })
			}
			sound(t, p, "/handoffs/q_handed")
			for _, path := range []string{"/questions/q_handed", "/connections/shop"} {
				p.Open(path)
				p.See("accounts.shop.example")
				sound(t, p, path)
			}
			o.End(handoff.OutcomeLost)
			p.Open("/handoffs/q_handed")
			p.See("Nothing you typed was kept")
			sound(t, p, "/handoffs/q_handed, ended")
		})
	}
}
