package ownerapi

import (
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/owner/questions"
)

func (c *call) listQuestions() (*wire.List[questions.Question], error) {
	list := "questions " + c.query["open"] + " " + c.query["connection"]
	before, err := wire.After(list, c.query["cursor"])
	if err != nil {
		return nil, err
	}
	page, err := questions.List(c.Context(), c.owner, questions.Query{
		Open: c.query["open"] != "", Connection: c.query["connection"], Before: before, Limit: c.rows,
	})
	if err != nil {
		return nil, err
	}
	next := ""
	if page.Next != "" {
		next = wire.NewCursor(list, page.Next)
	}
	return wire.NewList(page.Questions, next, c.r.URL), nil
}

func (c *call) showQuestion() (*questions.Question, error) {
	return questions.Show(c.Context(), c.owner, c.r.PathValue("question"))
}

// given is an answer. No result has it.
type given struct {
	Values map[string]string `json:"values,omitempty"` // by the fields' names
	Keep   bool              `json:"keep,omitempty"`   // credentials are to be stored, encrypted
}

func (c *call) answerQuestion(in *given) (*questions.Question, error) {
	return questions.Answer(c.Context(), c.owner, questions.Given{ID: c.r.PathValue("question"), Values: in.Values, Keep: in.Keep})
}

func (c *call) declineQuestion(*struct{}) (*questions.Question, error) {
	return questions.Decline(c.Context(), c.owner, c.r.PathValue("question"))
}
