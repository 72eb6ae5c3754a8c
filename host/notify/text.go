package notify

import (
	"strings"
	"unicode"

	"github.com/pdpp-host/pdpp-host/abi"
)

// longestName is how much of a connection's name is told, in characters.
const longestName = 100

// ActionNeed is the need of an action: cta is the host's own word for it, identity the
// action's.
func ActionNeed(connection, identity, cta string) Need {
	return Need{Identity: identity, Title: plain(connection) + " needs you", Body: cta + ": see how on this host's page, or with: pdpp-host status"}
}

// questionTexts are what a question asks for, in the host's words.
var questionTexts = map[string]string{
	abi.InteractionOTP: "a one-time code", abi.InteractionCredentials: "a credential", abi.InteractionMissingCredentials: "a missing credential",
	abi.InteractionManualAction: "something to be done",
}

// QuestionNeed is the need of a question that a run of a connection asks.
func QuestionNeed(connection, id, kind string) Need {
	asks := questionTexts[kind]
	if asks == "" {
		asks = "an answer"
	}
	return Need{Identity: QuestionIdentity(id), Title: plain(connection) + " asks for " + asks, Body: "Answer on this host's page, or with: pdpp-host questions"}
}

func overText(connection string) (title, body string) {
	return plain(connection) + " needs you no more", "Nothing is to be done."
}

// AppText says that an app waits for its owner's decision.
func AppText() (title, body string) {
	return "An app asks to read your data", "See what it asks for on this host's page, or with: pdpp-host grants requests"
}

// TestText is what a channel is tried with.
func TestText() (title, body string) {
	return "pdpp-host can reach you", "This is a test. Nothing is to be done."
}

// plain is an owner's name for something as one line of text.
func plain(name string) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, name))
	if len(runes) > longestName {
		return string(runes[:longestName-1]) + "…"
	}
	return string(runes)
}
