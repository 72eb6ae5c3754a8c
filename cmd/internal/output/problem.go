package output

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
)

// Problem is an error as a result carries it.
type Problem = words.Problem

// ProblemOf gives an error its result. No error has none.
func ProblemOf(err error) *Problem { return words.ProblemOf(err) }

// Typed returns the first *abi.Error in err's chain, or an internal error.
func Typed(err error) *abi.Error { return words.Typed(err) }
