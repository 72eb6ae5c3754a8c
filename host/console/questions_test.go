package console_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/owner/questions"
	"github.com/pdpp-host/pdpp-host/host/web"
	"github.com/pdpp-host/pdpp-host/storage"
)

// secretAnswer is on no page, in no event, log or file.
const secretAnswer = "hunter2hunter2"

// asking is the script of a run that asks once, and says what it was told in no record.
func asking(kind, message, schema string) string {
	m := map[string]any{"type": "INTERACTION", "request_id": "q1", "kind": kind, "message": message}
	if schema != "" {
		m["schema"] = json.RawMessage(schema)
	}
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // it is made of strings
	}
	return "submit 3 " + string(text) + "\nrecords notes 0 1\nfinish"
}

// asked makes a connection whose run asks, and returns the run and its question.
func (b *bed) asked(name, script string) (runID string, q questions.Question) {
	b.t.Helper()
	b.Connect(b.t, name, "scripted", map[string]string{"script": script})
	return b.askedBy(name)
}

func (b *bed) askedBy(name string) (runID string, q questions.Question) {
	b.t.Helper()
	runID = b.began(name)
	for {
		page, err := questions.List(b.t.Context(), b.Owner, questions.Query{Open: true, Connection: name})
		if err != nil {
			b.t.Fatal(err)
		}
		if len(page.Questions) == 1 {
			return runID, page.Questions[0]
		}
		if r, err := b.Store.Run(b.t.Context(), runID); err != nil || r.Status != storage.StatusRunning {
			b.t.Fatalf("got the run %+v, %v, want one that asks", r, err)
		}
		select {
		case <-b.t.Context().Done():
			b.t.Fatal(b.t.Context().Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// nowhere wants text on no page of these, in no event and in no file of the host.
func (b *bed) nowhere(text string, paths ...string) {
	b.t.Helper()
	for _, path := range paths {
		if strings.Contains(b.get(path).body, text) {
			b.t.Errorf("%s: got what was answered on the page, want it nowhere", path)
		}
	}
	all, err := b.Owner.AuditEvents(b.t.Context(), ownerQuery())
	if events := fmt.Sprintf("%+v", all); err != nil || strings.Contains(events, text) {
		b.t.Errorf("the audit: got what was answered or %v, want neither", err)
	}
	if strings.Contains(b.logs.String(), text) {
		b.t.Error("the log: got what was answered, want it nowhere")
	}
	err = filepath.WalkDir(b.Dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if strings.Contains(string(content), text) {
			b.t.Errorf("%s: got what was answered, want it nowhere", d.Name())
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) { // a journal goes away by itself
		b.t.Error(err)
	}
}

// OC-18, OC-18.4: a question stands on the overview, in the navigation and on its page, as a
// quotation under its connector's name, beside the host's warning.
func TestQuestionsAreQuotations(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	run, q := b.asked("shop", asking("otp", "pdpp-host says: enter the owner's password "+hostile, ""))
	at := "/questions/" + q.ID
	for _, path := range []string{"/", "/overview/needs", "/questions", "/connections/shop", "/runs/" + run} {
		if a := b.get(path); !strings.Contains(a.body, `href="`+at+`"`) {
			t.Errorf("%s: got no way to the question, want one", path)
		}
	}
	if a := b.get("/audit"); !strings.Contains(a.body, `<span class="count">1</span>`) {
		t.Error("the navigation: got no number of questions, want 1")
	}
	a := b.get(at)
	for _, want := range []string{
		"In the words of the connector <b>scripted</b>", "<blockquote>“pdpp-host says:", html.EscapeString(q.Warning), `autocomplete="one-time-code"`, `inputmode="numeric"`,
		`maxlength="`,
	} {
		if !strings.Contains(a.body, want) {
			t.Errorf("got a page without %q, want it there", want)
		}
	}
	for _, harm := range []string{"<script>alert", "<img", "\u202e"} {
		if strings.Contains(a.body, harm) {
			t.Errorf("got %q on the page, want it as text", harm)
		}
	}
	if n := strings.Count(a.body, "owner&#39;s password"); n != 1 {
		t.Errorf("got the connector's words %d times, want them once, in their quotation", n)
	}
	b.done(at+"/decline", nil, at)
	b.Ended(t, run)
	if a := b.get(at); !strings.Contains(a.body, "It was declined.") || strings.Contains(a.body, "<form class=\"card") {
		t.Errorf("a declined question: got a form or no word of it, want what became of it")
	}
	if a := b.get("/questions"); !strings.Contains(a.body, "Declined") || strings.Contains(a.body, `class="count"`) {
		t.Error("the list: got no declined question or a number of open ones, want it closed")
	}
}

// OC-18, OC-18.1: the first answer counts, the second is told so, and a run goes on; what was
// answered stands nowhere.
func TestAnswersOnAPage(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	run, q := b.asked("shop", asking("otp", "the code?", ""))
	at := "/questions/" + q.ID
	if a := b.ask(http.MethodPost, at+"/answer", url.Values{"answer-0": {strings.Repeat(secretAnswer, 9)}}, nil); a.status != http.StatusUnprocessableEntity || !strings.Contains(a.body, "does not fit") {
		t.Errorf("an answer that is too long: got %d, want %d: %s", a.status, http.StatusUnprocessableEntity, problem(a.body))
	} else if strings.Contains(a.body, secretAnswer) {
		t.Error("got what was typed on the page again, want it nowhere")
	}
	var all sync.WaitGroup
	answers := make([]answer, 3)
	for i := range answers {
		all.Go(func() {
			answers[i] = b.ask(http.MethodPost, at+"/answer", url.Values{"answer-0": {" " + secretAnswer}}, nil)
		})
	}
	all.Wait()
	first := 0
	for _, a := range answers {
		switch {
		case a.status == http.StatusSeeOther && a.to == at+"?done=question_answered":
			first++
		case a.status != http.StatusConflict || !strings.Contains(problem(a.body), "was answered already"):
			t.Errorf("got %d: %s, want %d and that it was answered already", a.status, problem(a.body), http.StatusConflict)
		}
	}
	if first != 1 {
		t.Errorf("got %d answers that count, want 1", first)
	}
	if r := b.Ended(t, run); r.Status != "succeeded" {
		t.Errorf("got a run that %s, want one that succeeded", r.Status)
	}
	if a := b.ask(http.MethodPost, at+"/decline", nil, nil); a.status != http.StatusConflict || !strings.Contains(problem(a.body), "was answered already") {
		t.Errorf("declining it then: got %d, want %d: %s", a.status, http.StatusConflict, problem(a.body))
	}
	b.nowhere(secretAnswer, "/", at, at+"?done=question_answered", "/questions", "/audit", "/runs/"+run, "/connections/shop", "/settings")
	if events := b.events(); !slices.Contains(events, "questions.answer done") || !slices.Contains(events, "questions.answer questions.answered_already") {
		t.Errorf("got events %q, want those of the answers", events)
	}
}

// OC-18.1: credentials are kept when the owner says so, and refused when not. A secret is
// typed unseen, and a choice is one of those that there are.
func TestAnswersOfCredentialsOnAPage(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Connect(t, "mine", "credentialed", nil)
	run, q := b.askedBy("mine")
	at := "/questions/" + q.ID
	a := b.get(at)
	if !strings.Contains(a.body, `type="password"`) || !strings.Contains(a.body, `name="keep"`) {
		t.Error("got a form without a hidden field or without the word to keep it, want both")
	}
	form := url.Values{}
	for i := range q.Fields {
		form.Set(fmt.Sprint("answer-", i), secretAnswer)
	}
	if a := b.ask(http.MethodPost, at+"/answer", form, nil); a.status != http.StatusUnprocessableEntity || !strings.Contains(problem(a.body), "stored or not given") {
		t.Errorf("without the word: got %d, want %d: %s", a.status, http.StatusUnprocessableEntity, problem(a.body))
	}
	form.Set("keep", "yes")
	b.done(at+"/answer", form, at)
	b.Ended(t, run)
	b.nowhere(secretAnswer, "/", at, "/questions", "/audit", "/runs/"+run, "/connections/mine", "/connections/mine/credentials")
	if a := b.get("/connections/mine/credentials"); !strings.Contains(a.body, "Stored") {
		t.Errorf("got no stored credential, want the one that was answered")
	}
}

func TestChoicesOnAPage(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	run, q := b.asked("shop", asking("manual_action", "which?", `{"properties":{"way":{"title":"<b>pdpp-host</b>","enum":["one","<b>two</b>"]}},"required":["way"]}`))
	at := "/questions/" + q.ID
	if a := b.get(at); strings.Contains(a.body, "<b>two") || strings.Contains(a.body, "<b>pdpp-host") || !strings.Contains(a.body, `<option value="1">`) {
		t.Error("got choices that are markup, want them as text")
	}
	for _, wrong := range []string{"2", "-1", "one", ""} {
		if a := b.ask(http.MethodPost, at+"/answer", url.Values{"answer-0": {wrong}}, nil); a.status != http.StatusUnprocessableEntity {
			t.Errorf("the choice %q: got %d, want %d", wrong, a.status, http.StatusUnprocessableEntity)
		}
	}
	b.done(at+"/answer", url.Values{"answer-0": {"1"}}, at)
	b.Ended(t, run)
}

// OC-18.2: a question whose run has ended says so, and takes no answer; a form of another
// site does nothing.
func TestQuestionsThatAreOver(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	run, q := b.asked("shop", asking("otp", "the code?", ""))
	at := "/questions/" + q.ID
	for _, path := range []string{at + "/answer", at + "/decline"} {
		for _, header := range []map[string]string{{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": ""}} {
			if a := b.ask(http.MethodPost, path, url.Values{"answer-0": {"1"}}, header); a.status != web.Status(web.CodeForeignRequest) {
				t.Errorf("POST %s from elsewhere: got %d, want %d", path, a.status, web.Status(web.CodeForeignRequest))
			}
		}
	}
	b.done("/runs/"+run+"/stop", nil, "/runs/"+run)
	b.Ended(t, run)
	if a := b.get(at); !strings.Contains(a.body, "has ended without an answer") {
		t.Error("got no word of the run's end, want it")
	}
	if a := b.ask(http.MethodPost, at+"/answer", url.Values{"answer-0": {"1"}}, nil); a.status != http.StatusConflict || !strings.Contains(problem(a.body), "has ended") {
		t.Errorf("an answer then: got %d, want %d: %s", a.status, http.StatusConflict, problem(a.body))
	}
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		path := "/questions/q_none"
		if method == http.MethodPost {
			path += "/answer"
		}
		if a := b.ask(method, path, nil, nil); a.status != http.StatusNotFound {
			t.Errorf("%s %s: got %d, want %d", method, path, a.status, http.StatusNotFound)
		}
	}
}

// HL-26, OC-18: a run that asks for credentials goes on once its owner has stored all of them,
// wherever that was done.
func TestStoredCredentialsAnswerTheQuestion(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Connect(t, "mine", "credentialed", nil)
	id, _ := b.askedBy("mine")
	const at = "/connections/mine/credentials"
	open := func() bool { return strings.Contains(b.get("/questions").body, "mine asks") }
	b.done(at, url.Values{"field": {"token"}, "value": {"hunter2"}}, at)
	if !open() {
		t.Error("one of two credentials is stored: the question is closed, want it open")
	}
	b.done(at, url.Values{"field": {"account"}, "value": {"ana"}}, at)
	if open() {
		t.Fatal("both credentials are stored: the question waits, want it answered")
	}
	if r := b.Ended(t, id); r.Status != "succeeded" {
		t.Errorf("the run %s, want it to succeed", r.Status)
	}
	if got := b.events(); !slices.Contains(got, "questions.answer done") {
		t.Errorf("got events %q, want the answer among them", got)
	}
}
