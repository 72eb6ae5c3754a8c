package markup_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/markup"
)

// AC-06: a fault costs the element that it is in, and those behind it are read.
func TestAFaultHidesNoElement(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`<d><r a="1"/><r a="2 /><r a="3"/></d>`:     `<d><r a="1"></r><r a="3"></r></d> markup.syntax`,
		`<d><r a=1/><r a="2"/></d>`:                 `<d><r a="2"></r></d> markup.syntax`,
		`<d><r a="1"><r a="2"/></d>`:                `<d><r a="1"><r a="2"></r></r></d> markup.syntax`,
		`<d><r a="1"/></r><r a="2"/></d>`:           `<d><r a="1"></r><r a="2"></r></d> markup.syntax`,
		`<d><r>a &x; b</r><r>c</r></d>`:             `<d><r>b</r><r>c</r></d> markup.syntax`,
		`<d><r>a & b</r><r>c</r></d>`:               `<d><r>b</r><r>c</r></d> markup.syntax`,
		"<d><r>a\x00b</r><r>c</r></d>":              `<d><r></r><r>c</r></d> markup.syntax`,
		"<d><r>\xff</r><r>c</r></d>":                `<d><r></r><r>c</r></d> markup.syntax`,
		"<d>\x00\x00\x00\x00<r>c</r></d>":           `<d><r>c</r></d> markup.syntax`,
		`<d><r a="1"/><><r a="2"/></d>`:             `<d><r a="1"></r><r a="2"></r></d> markup.syntax`,
		`<d><r a="1"/><!- no -><r a="2"/></d>`:      `<d><r a="1"></r><r a="2"></r></d> markup.syntax`,
		`<d><r a="1"/><r a="2" a b c><r a="3"/>`:    `<d><r a="1"></r><r a="3"></r> markup.syntax`,
		`<d><a><b><c>x</a><r/></d>`:                 `<d><a><b><c>x</c></b></a><r></r></d> markup.syntax`,
		`<d><r/></d><e/>`:                           `<d><r></r></d><e></e>`,
		`<d><r a="1`:                                `<d> markup.truncated`,
		`<d><r a="1"/><r`:                           `<d><r a="1"></r> markup.truncated`,
		`<d><r a="1"/><`:                            `<d><r a="1"></r> markup.truncated`,
		`<d><!-- and so on <r a="1"/></d>`:          `<d><r a="1"></r></d> markup.syntax`,
		`<d><r a="1"/><!-- cut off <r a="2"/>`:      `<d><r a="1"></r> markup.truncated`,
		`<d><![CDATA[ and so on <r a="1"/></d>`:     `<d><r a="1"></r></d> markup.syntax`,
		`<d><r a="x" <r a="2"/></d>`:                `<d><r a="2"></r></d> markup.syntax`,
		strings.Repeat(`<r a=1/>`, 20_000) + `<x/>`: ` markup.syntax`,
	} {
		if got := told(markup.XML(strings.NewReader(in))); got != want {
			t.Errorf("%.60q: got %.90q, want %.90q", in, got, want)
		}
	}
	r := markup.XML(strings.NewReader("<d><r/><r a=/></d>"))
	for r.Next() { //nolint:revive // up to its end
	}
	var e *abi.Error
	if !errors.As(r.Err(), &e) || !strings.Contains(e.Detail, "in front of byte 1") {
		t.Errorf("got %v, want the byte of the fault", r.Err())
	}
}

// AC-06: a page that ends within a tag or a comment was cut.
func TestAPageThatIsCut(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`<p>a</p><a href="x`:  `<p>a</p> markup.truncated`,
		`<p>a</p><b`:          `<p>a</p> markup.truncated`,
		`<p>a</p><!-- and so`: `<p>a</p> markup.truncated`,
		`<p>a</p></p`:         `<p>a</p> markup.truncated`,
		`<p>a`:                `<p>a`,
		`<p>a < b`:            `<p>a < b`,
		`<p>a <`:              `<p>a <`,
	} {
		if got := told(markup.HTML(strings.NewReader(in))); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// AC-06: damage of a few bytes costs at most the records that it lies in, and the next one.
func FuzzDamagedXML(f *testing.F) {
	f.Add(uint16(40), []byte("\x00\x00"))
	f.Add(uint16(60), []byte("<r"))
	f.Add(uint16(50), []byte("\""))
	f.Add(uint16(77), []byte("<!--"))
	f.Add(uint16(33), []byte("]]>&"))
	const n = 12
	var b strings.Builder
	var at []int
	b.WriteString(`<?xml version="1.0"?><data>`)
	for i := range n {
		at = append(at, b.Len())
		fmt.Fprintf(&b, `<record id="%d" value="v%d"><note>text %d</note></record>`+"\n", i, i, i)
	}
	at = append(at, b.Len())
	b.WriteString(`</data>`)
	whole := b.String()
	f.Fuzz(func(t *testing.T, place uint16, with []byte) {
		const most = 40
		from := at[0] + int(place)%(at[n]-at[0])
		if with = with[:min(len(with), most, len(whole)-from)]; len(with) == 0 {
			return
		}
		damaged := whole[:from] + string(with) + whole[from+len(with):]
		met := make(map[string]bool)
		r := markup.XML(strings.NewReader(damaged))
		for r.Next() {
			if t := r.Token(); t.Kind == markup.Open && t.Name == "record" {
				met[t.Attr("id")+t.Attr("value")] = true
			}
		}
		for i := range n {
			if met[fmt.Sprintf("%dv%d", i, i)] {
				continue
			}
			// Damage may hide the next one, as an open comment or quote does.
			if at[i+1] <= from || at[i] >= from+len(with) && i > 0 && at[i-1] >= from+len(with) {
				t.Fatalf("%q at byte %d: record %d, which lies at %d, is not there: %v", with, from, i, at[i], r.Err())
			}
		}
	})
}

// AC-06: the same, for damage by chance.
func TestDamagedXML(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 2)) //nolint:gosec // a number of the test's
	var b strings.Builder
	const n = 200
	b.WriteString("<data>")
	for i := range n {
		fmt.Fprintf(&b, `<record id="%d"/>`, i)
	}
	b.WriteString("</data>")
	whole := b.String()
	for range 2000 {
		damaged := []byte(whole)
		at := 6 + r.IntN(len(whole)-13)
		damaged[at] = byte(r.IntN(256))
		met := 0
		in := markup.XML(strings.NewReader(string(damaged)))
		for in.Next() {
			if in.Token().Kind == markup.Open && in.Token().Name == "record" {
				met++
			}
		}
		if met < n-2 {
			t.Fatalf("%q at byte %d: got %d records, want at most two fewer than %d: %v", damaged[at], at, met, n, in.Err())
		}
	}
}
