package main

import (
	"bytes"
	"strings"
)

// Where the text of a message comes from.
const (
	originPerson  = "person"  // typed by the person
	originMixed   = "mixed"   // a program put something in front of what the person typed
	originProgram = "program" // instructions and context that Codex, or an editor, put there
	originModel   = "model"   // written by the model
)

// injected are the elements that programs put into messages of the user. docs/formats.md has
// the sources.
var injected = []string{
	"environment_context", "user_instructions", "INSTRUCTIONS", "permissions instructions", "permissions", "turn_aborted",
	"subagent_notification", "skill", "skills_instructions", "apps_instructions", "plugins_instructions", "collaboration_mode",
	"model_switch", "hook_prompt", "in-app-browser-context", "user_action", "recommended_plugins", "personality_spec",
}

// agents begins the message that has the contents of AGENTS.md.
const agents = "# AGENTS.md instructions"

// requests are the headings that the extensions of editors put in front of what the person typed.
var requests = []string{"## My request for Codex:", "## My request:"}

// originOf tells where a message comes from, "" when its role does not tell. request is what the
// person typed of a mixed one.
func originOf(role string, text []byte) (origin, request string) {
	switch role {
	case "assistant":
		return originModel, ""
	case "developer", "system":
		return originProgram, ""
	case "user":
	default:
		return "", ""
	}
	for _, heading := range requests {
		at := bytes.LastIndex(text, []byte("\n"+heading))
		if at >= 0 {
			at++
		} else if bytes.HasPrefix(text, []byte(heading)) {
			at = 0
		}
		if at >= 0 {
			return originMixed, strings.TrimSpace(string(text[at+len(heading):]))
		}
	}
	whole := bytes.TrimSpace(text)
	rest := whole
	for {
		next, ok := behindInjected(rest)
		if !ok {
			break
		}
		rest = bytes.TrimSpace(next)
	}
	switch {
	case len(rest) == len(whole):
		return originPerson, ""
	case len(rest) == 0:
		return originProgram, ""
	}
	return originMixed, string(rest)
}

// behindInjected returns what follows an element that a program put at the beginning of a text.
// An element that does not end has all of it.
func behindInjected(text []byte) (rest []byte, ok bool) {
	if bytes.HasPrefix(text, []byte(agents)) {
		const end = "</INSTRUCTIONS>"
		if i := bytes.Index(text, []byte(end)); i >= 0 {
			return text[i+len(end):], true
		}
		return nil, true
	}
	if len(text) == 0 || text[0] != '<' {
		return nil, false
	}
	for _, name := range injected {
		if !bytes.HasPrefix(text[1:], []byte(name)) {
			continue
		}
		if behind := text[1+len(name):]; len(behind) == 0 || behind[0] != '>' && behind[0] != ' ' {
			continue
		}
		end := []byte("</" + name + ">")
		if i := bytes.Index(text, end); i >= 0 {
			return text[i+len(end):], true
		}
		return nil, true
	}
	return nil, false
}
