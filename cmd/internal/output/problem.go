package output

// Problem is an error as a result carries it.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// ProblemOf gives an error its result: what is wrong and where from stand together
// in the message. No error has none.
func ProblemOf(err error) *Problem {
	if err == nil {
		return nil
	}
	e := Typed(err)
	message := e.Message
	if e.Detail != "" {
		message += ": " + e.Detail
	}
	return &Problem{Code: string(e.Code), Message: Clean(message), Hint: Clean(e.Hint)}
}
