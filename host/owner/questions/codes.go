package questions

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// The codes of this room.
const (
	CodeUnknown                = storage.CodeQuestionUnknown
	CodeAnswered               = storage.CodeQuestionAnswered // or declined: the first one counts
	CodeClosed                 = storage.CodeQuestionClosed   // its time is over, or its run has ended
	CodeAnswerInvalid abi.Code = "questions.answer_invalid"
	CodeKeepNeeded    abi.Code = "questions.keep_needed" // the owner has not said that the answer is to be stored
)
