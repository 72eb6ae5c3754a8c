package mbox_test

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/mail"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/mbox"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const mailbox = `From 1779481@xxx Mon Mar 02 08:00:00 +0000 2026
Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?= =?utf-8?b?IGF1cyBLw7Zsbg==?=
From: "Ana B." <ana@example.org>
To: bob@example.org (Bob),
 =?iso-8859-1?Q?J=F6rg?= <j@example.org>
Content-Type: Multipart/mixed; boundary=x

--x
From here on it is no separator, and neither is >From.

From now on it is none either.
Content-Disposition:  Attachment; filename=a.pdf
--x--

From bounce@example.org Tue Mar  3 09:10:11 2026
Subject: two

Content-Disposition: attachment
`

// subjects lists the messages as SUBJECT/SIZE/ATTACHMENTS, and what ended the reading.
func subjects(in io.Reader) string {
	r := mbox.New(in)
	var list []string
	for r.Next() {
		list = append(list, fmt.Sprintf("%s/%d/%d", r.Header("subject"), r.Size(), r.Attachments()))
	}
	var e *abi.Error
	if errors.As(r.Err(), &e) {
		list = append(list, string(e.Code))
	} else if r.Err() != nil {
		list = append(list, r.Err().Error())
	}
	return strings.Join(list, " ")
}

func TestMessagesAreRead(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		mailbox: "Grüße aus Köln/356/1 two/46/0",
		strings.ReplaceAll(mailbox, "\n", "\r\n"): "Grüße aus Köln/368/1 two/49/0",
		"":                              "",
		"\n\nFrom a 10:00:00\n\n":       "/1/0",
		"From a 10:00:00\nSubject: x":   "mbox.truncated",
		"From a 10:00:00\nSubject: x\n": "x/11/0",
		"Subject: no mailbox\n":         "mbox.not_a_mailbox",
		"From nowhere\n":                "mbox.not_a_mailbox",
	} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(in), "bytes": iotest.OneByteReader(strings.NewReader(in))} {
			if got := subjects(r); got != want {
				t.Errorf("%.60q, %s: got %q, want %q", in, name, got, want)
			}
		}
	}
	if got := subjects(io.MultiReader(strings.NewReader(mailbox), iotest.ErrReader(errors.New("lost")))); got != "Grüße aus Köln/356/1 lost" {
		t.Errorf("got %q, want the error of the stream", got)
	}
}

// AC-06: what is no message in a mailbox costs no message, and is named with its place.
func TestDamagedMailboxes(t *testing.T) {
	t.Parallel()
	const one, two = "From a 10:00:00\nSubject: one\n\nbody\n\n", "From b 11:00:00\nSubject: two\n\nbody\n\n"
	zeros := strings.Repeat("\x00", 100)
	for name, c := range map[string]struct{ in, want, detail string }{
		"cut at its beginning":   {"ject: lost\n\nand its body\n\n" + one + two, "one/19/0 two/20/0 mbox.damaged", "what stands in front of the first message, at byte 0"},
		"zeros in front":         {zeros + one + two, "one/19/0 two/20/0 mbox.damaged", "what stands in front of the first message, at byte 0"},
		"zeros between":          {one + zeros + two, "one/20/0 two/20/0 mbox.damaged", "zero bytes in front of a message at byte 36"},
		"zeros behind a line":    {one + zeros + "\n\n" + two, "one/121/0 two/20/0", ""},
		"zeros in a header":      {one + "From c 10:00:00\nSub" + zeros + "\n\nbody\n\n" + two, "one/19/0 /110/0 two/20/0 mbox.damaged", "a header with zero bytes at byte 52"},
		"cut within a header":    {one + "From c 10:00:00\nSubject: th", "one/19/0 mbox.truncated", "at byte 63"},
		"cut within a body":      {one + two[:len(two)-4], "one/19/0 two/16/0", ""},
		"nothing but other text": {"a letter\n\nand more\n", "mbox.not_a_mailbox", ""},
	} {
		for reader, in := range map[string]io.Reader{"whole": strings.NewReader(c.in), "bytes": iotest.OneByteReader(strings.NewReader(c.in))} {
			r := mbox.New(in)
			var list []string
			for r.Next() {
				list = append(list, fmt.Sprintf("%s/%d/%d", r.Header("subject"), r.Size(), r.Attachments()))
			}
			detail := ""
			var e *abi.Error
			if errors.As(r.Err(), &e) {
				detail, list = e.Detail, append(list, string(e.Code))
			}
			if got := strings.Join(list, " "); got != c.want || detail != c.detail {
				t.Errorf("%s, %s: got %q, %q, want %q, %q", name, reader, got, detail, c.want, c.detail)
			}
		}
	}
}

// AC-07: bytes of a header that are no UTF-8 are taken for Windows-1252, which is counted.
func TestBytesThatWereTaken(t *testing.T) {
	t.Parallel()
	r := mbox.New(strings.NewReader("From a 10:00:00\nSubject: Gr\xfc\xdfe\n\n"))
	if !r.Next() || r.Header("Subject") != "Grüße" || r.Taken() != 2 {
		t.Errorf("got %q and %d bytes, want Grüße and 2", r.Header("Subject"), r.Taken())
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	r := mbox.New(strings.NewReader(mailbox))
	if !r.Next() {
		t.Fatal(r.Err())
	}
	if got, want := r.From(), "From 1779481@xxx Mon Mar 02 08:00:00 +0000 2026"; got != want {
		t.Errorf("the message begins with %q, want %q", got, want)
	}
	if got, want := fmt.Sprint(r.Addresses("To"), r.Addresses("from"), r.Addresses("Cc")), "[{Bob bob@example.org} {Jörg j@example.org}] [{Ana B. ana@example.org}] []"; got != want {
		t.Errorf("the addresses are %s, want %s", got, want)
	}
	for in, want := range map[string]string{
		`a@b, "c, \"d" <e@f>; <g@h>`:  `[{ a@b} {c, "d e@f} { g@h}]`,
		"friends: a@b, c@d;":          "[{ a@b} { c@d}]",
		"undisclosed-recipients:;":    "[]",
		"no address":                  "[]",
		"=?utf-8?q?a=2C_b?= <c@d>":    "[{a, b c@d}]",
		strings.Repeat("a@b,", 1_001): fmt.Sprint(mbox.ParseAddresses(strings.Repeat("a@b,", 1_000))),
	} {
		if got := fmt.Sprint(mbox.ParseAddresses(in)); got != want {
			t.Errorf("%.50q has the addresses %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"Mon, 2 Mar 2026 08:09:10 +0100 (CET)": "2026-03-02T07:09:10Z",
		"02 Mar 2026  08:09:10 GMT":            "2026-03-02T08:09:10Z",
		"2 Mar 26 08:09:10 -0000":              "2026-03-02T08:09:10Z",
		"soon":                                 "",
		"":                                     "",
	} {
		got := ""
		if at, ok := mbox.ParseDate(in); ok {
			got = at.Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%q is the time %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"plain":                         "plain",
		"=?utf-8?q?a?= =?utf-8?q?b?= c": "ab c",
		"=?utf-8?x?a?= =?":              "=?utf-8?x?a?= =?",
		"=?koi8-r?b?8w==?=":             "=?koi8-r?b?8w==?=",
		"=?windows-1251?b?0Q==?=":       "С",
		"=?utf-8?b?!?=":                 "=?utf-8?b?!?=",
		"=?utf-8?q?=FF=00_=4?=":         "ÿ =4",
		"=?windows-1252?q?=80_5?=":      "€ 5",
		"=?iso-8859-15?q?=A4_5?=":       "€ 5",
	} {
		if got := mbox.Decode(in); got != want {
			t.Errorf("%q decodes to %q, want %q", in, got, want)
		}
	}
}

// AC-05: the charsets of encoded words that stay as they are have names.
func TestCharsetsThatAreNotKnown(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain =? and =?utf-8?q?a?=":                        "",
		"=?koi8-r?b?8w==?=":                                 "koi8-r",
		"=?ISO-2022-JP*ja?B?GyRC?= =?euc-kr?q?a?=":          "iso-2022-jp euc-kr",
		"=?windows-1251?b?0Q==?= =?GB2312?B?0Q==?= =?x?q?=": "gb2312",
		"=?utf-8?b?!?= =?us-ascii?x?a?= =?big5":             "",
		"=?big5?B?" + strings.Repeat("a", 9000) + "?=":      "",
	} {
		if got := strings.Join(mbox.Undecoded(in), " "); got != want {
			t.Errorf("%q has the charsets %q, want %q", in, got, want)
		}
	}
}

func TestAHeaderIsBounded(t *testing.T) {
	t.Parallel()
	r := mbox.New(strings.NewReader("From a 10:00:00\nSubject: x\nX: " + strings.Repeat("y", mbox.HeaderBytes) + "\n\nbody\n\nFrom a 10:00:00\nSubject: z\n\n"))
	if !r.Next() || r.Header("Subject") != "x" || r.Cut() {
		t.Errorf("cut %v, subject %q, want its subject, and it whole", r.Cut(), r.Header("Subject"))
	}
	if r.Header("X"); !r.Cut() {
		t.Error("the field that is too long is whole, want it cut")
	}
	if !r.Next() || r.Header("Subject") != "z" || r.Header("X") != "" || r.Cut() || r.Next() {
		t.Errorf("cut %v, subject %q, want the message behind it, and it whole", r.Cut(), r.Header("Subject"))
	}
}

// AC-04: a field that is too long is cut at an address, and hides no field behind it.
func TestALongFieldHidesNoOther(t *testing.T) {
	t.Parallel()
	addresses := func(n int, between string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%06d@example.org%s", i, between)
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		fields string
		cut    string // the first field that is
		to     int
	}{
		"folded":                        {"To: " + addresses(60_000, ",\n ") + "x@y\nSubject: s\nCc: a@b\n", "To", 1000},
		"in one line":                   {"To: " + addresses(60_000, ", ") + "x@y\nSubject: s\nCc: a@b\n", "To", 1000},
		"with long names":               {"To: " + strings.Repeat("\""+strings.Repeat("n", 200)+"\" <a@b.org>,\n ", 900) + "x@y\nSubject: s\nCc: a@b\n", "To", 304},
		"a few too many":                {"To: " + addresses(1001, ",") + "\nSubject: s\nCc: a@b\n", "To", 1000},
		"as many as are read":           {"To: " + addresses(1000, ",\n ") + "\nSubject: s\nCc: a@b\n", "", 1000},
		"another one":                   {"X: " + addresses(60_000, ",\n ") + "\nSubject: s\nCc: a@b\nTo: a@b\n", "", 1},
		"the second of its name":        {"Subject: s\nCc: a@b\nTo: a@b\nTo: " + addresses(60_000, ",\n ") + "\n", "", 1},
		"more than a header holds":      {"Subject: s\nCc: a@b\n" + strings.Repeat("X: "+addresses(4_000, ",\n ")+"\n", 9) + "To: " + strings.Repeat("a", 100) + "@b.org\n", "header", 0},
		"a header that is full, a word": {"Subject: s\nCc: a@b\nTo: " + strings.Repeat("a", 70_000) + "\n", "To", 0},
	} {
		r := mbox.New(strings.NewReader("From a 10:00:00\n" + c.fields + "\nbody\n\nFrom a 10:00:00\nSubject: next\n\n"))
		if !r.Next() {
			t.Fatal(r.Err())
		}
		cut := ""
		if r.Cut() { // Next looks for Content-Type, and a field was left out as a whole
			cut = "header"
		}
		for _, name := range []string{"Subject", "Cc", "To", "Bcc"} {
			list := r.Emails(name)
			if r.Cut() && cut == "" {
				cut = name
			}
			if name == "To" && len(list) != c.to {
				t.Errorf("%s: got %d addresses, want %d", name, len(list), c.to)
			}
			for _, email := range list {
				if !strings.HasSuffix(email, ".org") && email != "a@b" {
					t.Errorf("%s: got the address %q, want whole ones", name, email)
				}
			}
		}
		if cut != c.cut || r.Header("Subject") != "s" || r.Raw("Cc") != "a@b" {
			t.Errorf("%s: got %q cut, subject %q, copy %q, want %q, s and a@b", name, cut, r.Header("Subject"), r.Raw("Cc"), c.cut)
		}
		if !r.Next() || r.Header("Subject") != "next" || r.Cut() || r.Next() {
			t.Errorf("%s: got the subject %q, cut %v, want the message behind it, and it whole", name, r.Header("Subject"), r.Cut())
		}
	}
}

// An encoded word is bounded, so that a header of nothing but their beginnings is not
// searched to its end for each.
func TestWordsAreBounded(t *testing.T) {
	t.Parallel()
	word := "=?utf-8?q?" + strings.Repeat("a", 900) + "?= x"
	if got, want := mbox.Decode(word), strings.Repeat("a", 900)+" x"; got != want {
		t.Errorf("got %.40q, want %.40q", got, want)
	}
	for _, text := range []string{"=?utf-8?q?" + strings.Repeat("a", 9000) + "?=", strings.Repeat("=?u?q?", 1000)} {
		if got := mbox.Decode(text); got != text {
			t.Errorf("got %.40q, want %.40q unchanged", got, text)
		}
	}
}

// An encoded word ends in front of the next one: a text of beginnings would be searched for an end from each of them.
func TestAWordThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"=?utf-8?q?a =?utf-8?q?b?= c":       "=?utf-8?q?a b c",
		"=?utf-8?q?a=?utf-8?q?b?=":          "=?utf-8?q?ab",
		"=?utf-8?b?YQ==?= =?utf-8?b?Yg==?=": "ab",
		"=?utf-8?b?YQ=?=":                   "a",
		"=?utf-8?q?Who?_me?=":               "Who? me",
		"=?utf-8?q??=":                      "",
		"=?utf-8?q?":                        "=?utf-8?q?",
	} {
		if got := mbox.Decode(text); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	if got := mbox.Undecoded("=?x-a?q?a =?x-b?q?b?="); !slices.Equal(got, []string{"x-b"}) {
		t.Errorf("got %q, want the charset of the word that ends", got)
	}
}

func ExampleReader() {
	r := mbox.New(strings.NewReader(mailbox))
	for r.Next() {
		fmt.Println(r.Header("Subject"), r.Addresses("From"), r.Attachments())
	}
	fmt.Println(r.Err())
	// Output:
	// Grüße aus Köln [{Ana B. ana@example.org}] 1
	// two [] 0
	// <nil>
}

// The oracles are mime and net/mail, where they and this package know a word or an address.
func FuzzReader(f *testing.F) {
	f.Add(mailbox)
	f.Add("From a 10:00:00\nSubject: =?utf-8?q?=41?=\nFrom: a@b.c\n\n")
	f.Fuzz(func(t *testing.T, s string) {
		r := mbox.New(strings.NewReader(s))
		var size int64
		for r.Next() {
			size += r.Size()
			for _, text := range []string{r.Header("Subject"), r.Raw("From"), r.From()[:0]} {
				if !utf8.ValidString(text) {
					t.Fatalf("%q is not UTF-8", text)
				}
			}
			r.Date("Date")
			raw := r.Raw("From")
			if want, err := mail.ParseAddress(raw); err == nil && !strings.ContainsAny(raw, `\"(:=`) && (strings.Contains(raw, "<") || !strings.Contains(raw, " ")) {
				got := mbox.ParseAddresses(raw)
				if len(got) != 1 || strings.ReplaceAll(got[0].Email, " ", "") != strings.ReplaceAll(want.Address, " ", "") {
					t.Fatalf("%q has the addresses %q, want %q", raw, got, want)
				}
			}
		}
		if size > int64(len(s)) {
			t.Fatalf("messages of %d bytes in a mailbox of %d", size, len(s))
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add("=?utf-8?q?a=C3=BC_?= =?utf-8?b?IGF1cw==?= x")
	f.Add(strings.Repeat("=E6=97=A5", 200))
	f.Fuzz(func(t *testing.T, s string) {
		got := mbox.Decode(s)
		if !utf8.ValidString(s) {
			return
		}
		if !utf8.ValidString(got) {
			t.Fatalf("%q decodes to %q, want UTF-8", s, got)
		}
		if strings.Count(s, "=?") == 0 && got != s {
			t.Fatalf("%q decodes to %q, want it unchanged", s, got)
		}
		one := "=?utf-8?q?" + strings.Map(func(r rune) rune {
			if r < '!' || r > '~' || strings.ContainsRune("?=_", r) {
				return -1
			}
			return r
		}, s) + "?="
		if want, err := new(mime.WordDecoder).Decode(one); err == nil && len(one) <= 8<<10 && mbox.Decode(one) != want {
			t.Fatalf("%q decodes to %q, want %q", one, mbox.Decode(one), want)
		}
	})
}
