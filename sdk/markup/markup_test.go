package markup_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/markup"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// told writes the tokens of a document, and its fault.
func told(r *markup.Reader) string {
	var b strings.Builder
	for r.Next() {
		switch t := r.Token(); t.Kind {
		case markup.Open:
			b.WriteString("<" + t.Name)
			for _, a := range t.Attrs {
				fmt.Fprintf(&b, " %s=%q", a.Name, a.Value)
			}
			b.WriteString(">")
		case markup.Close:
			b.WriteString("</" + t.Name + ">")
		case markup.Text:
			b.WriteString(strings.TrimSpace(t.Text))
		}
	}
	if err := r.Err(); err != nil {
		return b.String() + " " + string(abi.CodeOf(err))
	}
	return b.String()
}

func TestTokens(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`<!DOCTYPE html><P Class=x>a &amp; b<br/>c<!-- no --></p>`: `<p class="x">a & b<br></br>c</p>`,
		`<li>one<li>two`:               `<li>one<li>two`,
		`a <b`:                         `a markup.truncated`,
		`<script>if (a<b) {}</script>`: `<script>if (a<b) {}</script>`,
		``:                             ``,
	} {
		if got := told(markup.HTML(strings.NewReader(in))); got != want {
			t.Errorf("HTML %q: got %q, want %q", in, got, want)
		}
	}
	deep := strings.Repeat("<a>", markup.MaxDepth+1)
	for in, want := range map[string]string{
		`<?xml version="1.0"?><a x="1&lt;2" y='z'><n:b/>t<![CDATA[<&>]]></a>`: `<a x="1<2" y="z"><b></b>t<&></a>`,
		`<!DOCTYPE a [<!ENTITY x "y"><!ENTITY big "&x;&x;">]><a>k</a>`:        `<a>k</a>`,
		`<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>`:                            `<a></a> markup.syntax`,
		`<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>`:    `<a></a> markup.syntax`,
		`<a><b>`:      `<a><b> markup.truncated`,
		`<a><b>text`:  `<a><b>text markup.truncated`,
		`<a></b>`:     `<a> markup.syntax`,
		`<a b=c></a>`: ` markup.syntax`,
		`<?xml version="1.0" encoding="ISO-8859-1"?><a/>`: `<a></a> markup.syntax`,
		deep: strings.Repeat("<a>", markup.MaxDepth) + ` markup.too_large`,
		``:   ``,
	} {
		if got := told(markup.XML(strings.NewReader(in))); got != want {
			t.Errorf("XML %.60q: got %.80q, want %.80q", in, got, want)
		}
	}
}

// A token of any length costs no more memory than MaxToken, and a reader that fails is no
// fault of the document.
func TestBounds(t *testing.T) {
	t.Parallel()
	endless := func(begin string) io.Reader { return io.MultiReader(strings.NewReader(begin), forever{}) }
	for name, read := range map[string]func(io.Reader) *markup.Reader{"HTML": markup.HTML, "XML": markup.XML} {
		for _, begin := range []string{"<a>", `<a x="`, "<!--", "<a"} {
			r := read(endless(begin))
			for r.Next() { //nolint:revive // up to its end
			}
			if got := abi.CodeOf(r.Err()); got != markup.CodeTooLarge {
				t.Errorf("%s, %s and so on: got %v, want %s", name, begin, r.Err(), markup.CodeTooLarge)
			}
		}
		broken := errors.New("the disk is gone")
		r := read(io.MultiReader(strings.NewReader("<a>text</a><b>"), iotest.ErrReader(broken)))
		for r.Next() { //nolint:revive // as above
		}
		if !errors.Is(r.Err(), broken) {
			t.Errorf("%s: got %v, want what the reader said", name, r.Err())
		}
	}
}

// forever is a text without an end.
type forever struct{}

func (forever) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestTextOf(t *testing.T) {
	t.Parallel()
	r := markup.HTML(strings.NewReader(`<div>a<div>b <i>c</i></div>d</div><p>next`))
	if got := r.TextOf(10); got != "" {
		t.Errorf("before the first token: got %q, want nothing", got)
	}
	r.Next()
	if got := r.TextOf(100); got != "ab cd" {
		t.Errorf("got %q, want %q", got, "ab cd")
	}
	if !r.Next() || r.Token().Name != "p" {
		t.Errorf("got %+v behind it, want the next element", r.Token())
	}
	for most, want := range []string{"", "", "é", "é<", "é<x", "é<x€"[:4], "é<x€"[:4], "é<x€"} {
		r = markup.HTML(strings.NewReader(`<p>&eacute;&lt;<b>x</b>€ and more</p>`))
		if r.Next(); r.TextOf(most) != want {
			r = markup.HTML(strings.NewReader(`<p>&eacute;&lt;<b>x</b>€ and more</p>`))
			r.Next()
			t.Errorf("at most %d bytes: got %q, want %q", most, r.TextOf(most), want)
		}
	}
}

// The lines of a bookmarks file, which browsers export.
func Example() {
	page := `<DL><DT><A HREF="https://go.dev" ADD_DATE="1767225600">Go &amp; more</A>`
	r := markup.HTML(strings.NewReader(page))
	for r.Next() {
		if t := r.Token(); t.Kind == markup.Open && t.Name == "a" {
			address := t.Attr("href") // before the next token
			fmt.Println(address, r.TextOf(200))
		}
	}
	fmt.Println(r.Err())
	// Output:
	// https://go.dev Go & more
	// <nil>
}

// Records of an export in XML, each an element with attributes.
func ExampleXML() {
	export := `<HealthData><Record type="StepCount" value="42"/><Record type="StepCount" value="7"/>`
	r := markup.XML(strings.NewReader(export))
	for r.Next() {
		if t := r.Token(); t.Kind == markup.Open && t.Name == "Record" {
			fmt.Println(t.Attr("type"), t.Attr("value"))
		}
	}
	fmt.Println(abi.CodeOf(r.Err())) // what came before the fault was read
	// Output:
	// StepCount 42
	// StepCount 7
	// markup.truncated
}

// Any bytes end in order, and what is read is text.
func FuzzReader(f *testing.F) {
	for _, s := range []string{`<a b="c">d</a>`, `<a/><b>`, "<\xff>", `<a>&#x0;</a>`, `<!DOCTYPE a [`, `<?xml?>`, `<a xmlns:b="c"><b:d/></a>`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tokens := 0
		for r := markup.XML(strings.NewReader(s)); r.Next(); tokens++ {
			if text := r.Token().Text; !utf8.ValidString(text) {
				t.Fatalf("got the text %q, want UTF-8", text)
			}
		}
		for r := markup.HTML(strings.NewReader(s)); r.Next(); tokens++ {
			if r.Token().Kind == 0 {
				t.Fatal("got a token without a kind")
			}
		}
		if tokens > 4*len(s)+4 {
			t.Errorf("got %d tokens of %d bytes, want no more than the text can have", tokens, len(s))
		}
	})
}
