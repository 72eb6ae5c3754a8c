package question

import (
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// The stable codes of this package's refusals.
const (
	CodeUnknown  abi.Code = "questions.unknown"
	CodeAnswered abi.Code = "questions.answered_already" // or declined
	CodeClosed   abi.Code = "questions.closed"           // its time was over, or its run ended
)

func unknown() error {
	return abi.NewError(CodeUnknown, "there is no such question", "`pdpp-host questions list` shows the ones there are")
}

// closed is why a question takes no answer that has been closed.
func (r *row) closed() error {
	switch r.State {
	case Answered, Declined:
		return abi.NewError(CodeAnswered, "the question was "+r.State+" already", "the first answer counts; nothing is to be done").
			WithDetail("by " + r.ClosedBy + " at " + db.Time(r.ClosedUS).Format(time.RFC3339))
	case TimedOut:
		return abi.NewError(CodeClosed, "the question's time is over", "run the connection again: it asks again")
	default:
		return lost()
	}
}

func lost() error {
	return abi.NewError(CodeClosed, "the run that asked has ended", "run the connection again: it asks again")
}
