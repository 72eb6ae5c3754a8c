package words

import (
	"regexp"

	"github.com/pdpp-host/pdpp-host/abi"
)

// flag finds a flag of the command line.
var flag = regexp.MustCompile(`(^|[\s(])--[a-z]`)

// command finds a whole command, which an owner can type as it stands.
var command = regexp.MustCompile(`\bpdpp-(host|local-collector) [a-z]`)

// advice is what to do on a page about a refusal whose hint speaks of flags. It holds at a form
// and on the page of a run that failed.
var advice = map[abi.Code]string{
	abi.CodeCoolingDown:       "wait until then, or choose to run it in spite of the pause, under “" + MoreRuns + "” of the connection; what was collected is kept",
	abi.CodeRootChanged:       "collect another folder under a connection of its own; if the folder has moved, say so in the box under “" + FoldersTitle + "”",
	abi.CodeRootEmptied:       "mount or restore it; if it is meant to be empty now, say so in the box under “" + FoldersTitle + "”",
	abi.CodeOriginChanged:     "ask another address under a connection of its own; if the service has moved, say so in the box under “" + FoldersTitle + "”",
	abi.CodeRootMissing:       "mount or restore it, or name another folder, here or under “" + FoldersTitle + "”",
	abi.CodeRootInvalid:       "name a folder of the host's machine that exists, or leave the field empty",
	abi.CodeConnectionInvalid: "choose another name or value",
	abi.CodeLimitTime:         "run it again: it goes on from what it has collected",
	abi.CodeBindingMissing:    "run it here, where it can ask you",
	"plugin.installed":        "if it takes that one's place, say so in the box below the file, and send it again",
}

// Advice is a hint of an error as a page shows it. A flag is nothing that its reader can set
// there, so a hint that speaks of one gives way to the page's own words, or to none; a whole
// command stays.
func Advice(code abi.Code, hint string) string {
	at := flag.FindStringIndex(hint)
	if at == nil || command.MatchString(hint[:at[0]]) {
		return hint
	}
	return advice[code]
}
