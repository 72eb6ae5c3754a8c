package questions

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/handoffs"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/questions"
	"github.com/pdpp-host/pdpp-host/host/web"
)

const (
	path     = "/questions"
	pageSize = 50 // closed questions on a page
)

// Register adds the pages of this room.
func Register(s *site.Site, mux *http.ServeMux) {
	mux.Handle("GET "+path, s.Signed(list))
	mux.Handle("GET "+path+"/{id}", s.Signed(show))
	mux.Handle("POST "+path+"/{id}/answer", s.Signed(answer))
	mux.Handle("POST "+path+"/{id}/decline", s.Signed(decline))
}

// address is the page of a question.
func address(id string) string { return path + "/" + url.PathEscape(id) }

// Asked returns what runs ask their owner now (see site.Site).
func Asked(ctx context.Context, o *owner.Owner, runID string) ([]ui.Question, error) {
	open, err := questions.List(ctx, o, questions.Query{Open: true})
	if err != nil {
		return nil, err
	}
	var asked []ui.Question
	for i := range open.Questions {
		q := &open.Questions[i]
		if runID != "" && q.RunID != runID {
			continue
		}
		one := ui.Question{ID: q.ID, Connection: q.Connection, Quote: q.Quote}
		if q.Deadline != nil {
			one.Deadline = *q.Deadline
		}
		h := handoffs.Of(ctx, o, q.ID)
		one.Watched = h != nil && h.Watched
		asked = append(asked, one)
	}
	return asked, nil
}

// Waiting returns how many questions wait for an answer (see site.Site).
func Waiting(ctx context.Context, o *owner.Owner) (int, error) {
	open, err := questions.List(ctx, o, questions.Query{Open: true})
	if err != nil {
		return 0, err
	}
	return len(open.Questions), nil
}

// list shows the open questions on its first page, and closed ones on each.
func list(v *site.Visit) error {
	l := listed{before: v.R.URL.Query().Get("before"), now: v.Now()}
	if l.before == "" {
		asked, err := Asked(v.Context(), v.Owner, "")
		if err != nil {
			return err
		}
		l.open = asked
	}
	page, err := questions.List(v.Context(), v.Owner, questions.Query{Before: l.before, Limit: pageSize})
	if err != nil {
		return err
	}
	for i := range page.Questions {
		if !page.Questions[i].Waits() {
			l.closed = append(l.closed, page.Questions[i])
		}
	}
	l.next = page.Next
	return v.Show(http.StatusOK, words.QuestionsTitle, ui.Questions, listPage(&l))
}

func show(v *site.Visit) error {
	q, err := questions.Show(v.Context(), v.Owner, v.R.PathValue("id"))
	if err != nil {
		return err
	}
	return shown(v, http.StatusOK, q, nil)
}

func shown(v *site.Visit, status int, q *questions.Question, refused error) error {
	return v.Show(status, ui.Safe(q.Connection)+" "+words.Asks, ui.Questions, page(q, handoffs.Of(v.Context(), v.Owner, q.ID), refused, v.Now(), v.Proof()))
}

func answer(v *site.Visit) error {
	q, err := questions.Show(v.Context(), v.Owner, v.R.PathValue("id"))
	if err != nil {
		return err
	}
	if err := v.R.ParseForm(); err != nil {
		return abi.NewError(abi.CodeUsage, words.Broken, words.BrokenHint)
	}
	values, fit := valuesOf(q, v.R.PostForm)
	if q.Waits() && !fit {
		return shown(v, web.Status(questions.CodeAnswerInvalid), q, abi.NewError(questions.CodeAnswerInvalid, words.NoChoice, words.AnswerAgain))
	}
	_, err = questions.Answer(v.Context(), v.Owner, questions.Given{ID: q.ID, Keep: v.R.PostForm.Get("keep") == "yes", Values: values})
	return closed(v, q.ID, err, words.QuestionAnswered)
}

func decline(v *site.Visit) error {
	q, err := questions.Decline(v.Context(), v.Owner, v.R.PathValue("id"))
	if err != nil {
		return closed(v, v.R.PathValue("id"), err, "")
	}
	return closed(v, q.ID, nil, words.QuestionDeclined)
}

// closed says what became of an answer. One that is refused leads back to the question as it
// stands now.
func closed(v *site.Visit, id string, err error, what words.Key) error {
	if err == nil {
		return v.Done(address(id), what)
	}
	code := abi.CodeOf(err)
	switch code {
	case questions.CodeKeepNeeded:
		err = abi.NewError(code, words.KeepNeeded, words.KeepNeededHint)
	case questions.CodeAnswerInvalid:
		err = abi.NewError(code, site.Typed(err).Message, words.AnswerAgain)
	case questions.CodeAnswered, questions.CodeClosed:
	default:
		return err
	}
	q, serr := questions.Show(v.Context(), v.Owner, id)
	if serr != nil {
		return serr
	}
	return shown(v, web.Status(code), q, err)
}

// input is the name of the form's field for the field of a question with that number: a
// connector's own names stand in no form.
func input(n int) string { return "answer-" + strconv.Itoa(n) }

// valuesOf reads the answer from a form, which has the number of a choice. It does not fit
// where there is no choice of that number.
func valuesOf(q *questions.Question, form url.Values) (values map[string]string, fit bool) {
	values, fit = map[string]string{}, true
	for i := range q.Fields {
		f := &q.Fields[i]
		text := form.Get(input(i))
		if f.Code {
			text = strings.TrimSpace(text)
		}
		if text == "" || f.Name == "" {
			continue
		}
		if len(f.Choices) > 0 {
			n, err := strconv.Atoi(text)
			if err != nil || n < 0 || n >= len(f.Choices) {
				fit = false
				continue
			}
			text = f.Choices[n]
		}
		values[f.Name] = text
	}
	return values, fit
}
