package main

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/clip"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
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

// The forms of what a line says that is neither a message nor a call.
const (
	formReasoning  = "reasoning"
	formCompaction = "compaction"
	formError      = "error"
	formReview     = "review"
	formPlan       = "plan"
	formAgent      = "agent"
)

// silent are the types of lines and items that are known and have no text, or an encrypted one.
var silent = []string{
	"turn_context", "compacted", "ghost_snapshot", "compaction", "compaction_summary", "compaction_trigger", "context_compaction", "world_state", "inter_agent_communication",
	"inter_agent_communication_metadata",
}

// saying returns what a line, or an item, says that is neither a message nor a call, and its form; "" for none.
func saying(dst []byte, v jsonvalue.Value) (form string, text []byte) {
	p := v.Get("payload")
	switch v.Get("type").View() {
	case "reasoning":
		form, dst = formReasoning, thoughts(dst, v)
	case "compacted":
		form, dst = formCompaction, p.Get("message").AppendText(dst)
	case "inter_agent_communication":
		if form, dst = formAgent, p.Get("content").AppendText(dst); len(dst) == 0 {
			dst = p.Get("message").AppendText(dst)
		}
	case "event_msg":
		switch item := p.Get("item"); p.Get("type").View() {
		case "error", "stream_error", "warning":
			form, dst = formError, p.Get("message").AppendText(dst)
		case "exited_review_mode":
			if review := p.Get("review_output"); review.Kind() == jsonvalue.Object {
				form, dst = formReview, review.AppendJSON(dst)
			}
		case "item_completed":
			if item.Get("type").TextIs("Plan") || item.Get("type").TextIs("plan") {
				form, dst = formPlan, item.Get("text").AppendText(dst)
			}
		}
	}
	if len(dst) == 0 {
		return "", dst
	}
	return form, dst
}

// thoughts joins the summary of a thought and, where it is not encrypted, the thought.
func thoughts(dst []byte, v jsonvalue.Value) []byte {
	for _, name := range [...]string{"summary", "content"} {
		for it := v.Get(name).Children(); it.Next(); {
			if text := it.Value().Get("text"); text.Kind() == jsonvalue.String {
				if len(dst) > 0 {
					dst = append(dst, '\n')
				}
				dst = text.AppendText(dst)
			}
		}
	}
	return dst
}

// sumOf is the fingerprint of a saying.
func sumOf(form string, text []byte) uint64 {
	return fingerprint.Text(fingerprint.Step(fingerprint.Text(fingerprint.Start, form), 0), text)
}

// say makes a message of what a line says that is neither a message nor a call. said is false when it says nothing.
func (r *rollout) say(v jsonvalue.Value) (said bool, err error) {
	var form string
	if form, r.text = saying(r.text[:0], v); form == "" {
		return false, nil
	}
	if r.state.session == "" {
		r.name("")
	}
	if r.state.forkAt >= 0 && r.isNext(sumOf(form, r.text)) {
		r.items.Duplicate++ // of the parent's, whose rollout has it
		return true, nil
	}
	role, origin := "assistant", originModel
	if form == formError {
		role, origin = "system", originProgram
	}
	content, truncated := clip.Bytes(r.text, maxContent)
	return true, r.emitMessage(role, form, form, content, truncated, origin, "")
}

// events are the types of events that repeat items, or tell how Codex runs.
var events = []string{
	"user_message", "agent_message", "agent_reasoning", "agent_reasoning_raw_content", "agent_reasoning_section_break", "token_count", "task_started", "task_complete",
	"turn_started", "turn_complete", "turn_completed", "turn_aborted", "turn_diff", "context_compacted", "thread_rolled_back", "thread_name_updated", "thread_goal_updated",
	"session_configured", "entered_review_mode", "exited_review_mode", "item_started", "item_completed", "raw_response_item", "exec_command_begin", "exec_command_end",
	"exec_command_output_delta", "terminal_interaction", "exec_approval_request", "apply_patch_approval_request", "patch_apply_begin", "patch_apply_updated",
	"patch_apply_end", "mcp_tool_call_begin", "mcp_tool_call_end", "mcp_startup_update", "mcp_startup_complete", "web_search_begin", "web_search_end",
	"image_generation_begin", "image_generation_end", "view_image_tool_call", "request_permissions", "request_user_input", "dynamic_tool_call_request",
	"dynamic_tool_call_response", "elicitation_request", "guardian_assessment", "guardian_warning", "model_reroute", "model_verification", "deprecation_notice",
	"background_event", "undo_started", "undo_completed", "stream_error", "error", "warning", "plan_update", "plan_delta", "shutdown_complete", "hook_started", "hook_completed",
	"skills_update_available", "collab_agent_spawn_begin", "collab_agent_spawn_end", "collab_agent_interaction_begin", "collab_agent_interaction_end",
	"collab_waiting_begin", "collab_waiting_end", "collab_close_begin", "collab_close_end", "collab_resume_begin", "collab_resume_end", "sub_agent_activity",
	"agent_message_delta", "agent_reasoning_delta", "agent_reasoning_raw_content_delta", "agent_message_content_delta", "reasoning_content_delta",
	"reasoning_raw_content_delta", "conversation_path", "realtime_conversation_started", "realtime_conversation_realtime", "realtime_conversation_closed",
}

// unrepeated is told of events that repeat messages of a rollout that has no message, and is no copy of one that may have them.
const unrepeated = "event without its item"

// event takes an event that says nothing of its own, or is not known.
func (r *rollout) event(kind jsonvalue.Value) {
	switch {
	case kind.TextIs("user_message"), kind.TextIs("agent_message"):
		r.heard++
	case kind.Exists() && !slices.ContainsFunc(events, kind.TextIs):
		r.strange(r.items, "event", kind)
	}
}
