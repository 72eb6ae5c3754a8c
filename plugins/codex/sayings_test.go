package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// AC-04, AC-05: what a session says beside messages and calls is in its messages, if it is a text; and what no other
// line repeats is not taken for a repetition.
func TestWhatASessionSays(t *testing.T) {
	t.Parallel()
	line := func(kind, payload string) string {
		return fmt.Sprintf(`{"timestamp":"%s","type":%q,"payload":%s}`+"\n", at(2), kind, payload)
	}
	for text, want := range map[string]string{
		itemLine(2, `{"type":"reasoning","summary":[{"type":"summary_text","text":"one"},{"type":"summary_text","text":"two"}],"content":[{"type":"reasoning_text","text":"three"}]}`): "assistant reasoning model one\ntwo\nthree",
		itemLine(2, `{"type":"reasoning","summary":[],"content":null,"encrypted_content":"gAAA"}`):                                                                                     "",
		line("compacted", `{"message":"so far","replacement_history":[]}`):                                                                                                             "assistant compaction model so far",
		line("compacted", `{"message":""}`):                                                                        "",
		line("event_msg", `{"type":"error","message":"no quota"}`):                                                 "system error program no quota",
		line("event_msg", `{"type":"exited_review_mode","review_output":{"overall_explanation":"fine"}}`):          `assistant review model {"overall_explanation":"fine"}`,
		line("event_msg", `{"type":"exited_review_mode","review_output":null}`):                                    "",
		line("event_msg", `{"type":"item_completed","item":{"type":"Plan","id":"p","text":"first this"}}`):         "assistant plan model first this",
		line("event_msg", `{"type":"item_completed","item":{"type":"AgentMessage","text":"x"}}`):                   "",
		line("event_msg", `{"type":"token_count","info":null}`):                                                    "",
		line("inter_agent_communication", `{"author":"a","content":"look there"}`):                                 "assistant agent model look there",
		line("world_state", `{"a":1}`):                                                                             "",
		itemLine(2, `{"type":"agent_message","author":"a","content":[{"type":"input_text","text":"look there"}]}`): "assistant text model look there",
		itemLine(2, `{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"no"}]}`):         "assistant text model no",
		itemLine(2, `{"type":"message","role":"user","content":[{"type":"input_file","filename":"a.pdf"}]}`):       "user mixed person [input_file] a.pdf",
	} {
		h := newHome(t)
		h.write(rolloutName(sessionA), metaLine(sessionA)+text)
		res := h.collect()
		got := ""
		for _, r := range res.Records(streamMessages) {
			got += r.Text("role") + " " + r.Text("form") + " " + r.Text("origin") + " " + r.Text("content")
		}
		if u := res.Items(streamMessages).Unknown; got != want || len(u) != 0 {
			t.Errorf("%s: got %q, and not known: %v, want %q", text, got, u, want)
		}
	}
}

// AC-05: what is not known is told by name, and a part that is not known is taken as it is.
func TestWhatIsNotKnownOfASession(t *testing.T) {
	t.Parallel()
	event := `{"timestamp":"` + at(2) + `","type":"event_msg","payload":{"type":"%s","message":"x"}}` + "\n"
	for text, want := range map[string]string{
		fmt.Sprintf(event, "brand_new"):                                                                    "event brand_new",
		fmt.Sprintf(event, "user_message") + fmt.Sprintf(event, "agent_message"):                           unrepeated,
		fmt.Sprintf(event, "user_message") + message(3, "user", "x"):                                       "",
		itemLine(2, `{"type":"message","role":"assistant","content":[{"type":"hologram","body":"what"}]}`): "part hologram",
		itemLine(2, `{"type":"brand_new"}`):                                                                "item brand_new",
	} {
		h := newHome(t)
		h.write(rolloutName(sessionA), metaLine(sessionA)+text)
		res := h.collect()
		got := ""
		for _, u := range res.Items(streamMessages).Unknown {
			got += u.Name
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
		read := abi.FileRead
		if strings.HasPrefix(want, "item") || want == unrepeated { // nothing else has it
			read = abi.FileKnown
		}
		if file := res.File(rootHome, rolloutName(sessionA)); file != read {
			t.Errorf("%s: got the file %q, want %q", text, file, read)
		}
		if content := field(res, streamMessages, sessionA+":2", "content"); strings.Contains(text, "hologram") && content != `{"type":"hologram","body":"what"}` {
			t.Errorf("got the content %s, want the part", content)
		}
		h.add(rolloutName(sessionA), message(9, "user", "y")) // what an event repeats may come behind it
		if got := h.again(res).File(rootHome, rolloutName(sessionA)); want == unrepeated && got != abi.FileRead {
			t.Errorf("%s, and a message: got the file %q, want %q", text, got, abi.FileRead)
		}
	}
}

// AC-04: what a fork repeats of its parent is the parent's, also beside messages.
func TestForkRepeatsThoughts(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	said := message(1, "user", "a") + itemLine(2, `{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]}`) +
		`{"timestamp":"` + at(3) + `","type":"compacted","payload":{"message":"so far"}}` + "\n" + itemLine(3, `{"type":"reasoning","summary":[],"encrypted_content":"x"}`) + message(4, "user", "b")
	h.write(rolloutName(sessionA), metaLine(sessionA)+said)
	h.write(rolloutName(sessionB), forkMeta(sessionB, sessionA)+said+message(9, "user", "c"))
	res := h.collect()
	if got := keys(res, streamMessages); got != "A:2 A:3 A:4 A:6 B:7" {
		t.Errorf("got %s, want A:2 A:3 A:4 A:6 B:7", got)
	}
	if got := res.Items(streamMessages).Duplicate; got != 4 {
		t.Errorf("got %d copies, want 4", got)
	}
}

// AC-04: the calls of today's Codex, and long arguments and outputs, are whole, or marked as cut.
func TestLongCalls(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	long, longer := strings.Repeat("a", maxOutput), strings.Repeat("b", maxOutput+1)
	call := func(n int, id, arguments string) string {
		return itemLine(n, `{"type":"function_call","name":"x","call_id":"`+id+`","arguments":"`+arguments+`"}`)
	}
	h.write(rolloutName(sessionA), metaLine(sessionA)+call(1, "c1", long)+outputLine(2, "c1", long)+call(3, "c2", longer)+outputLine(4, "c2", longer)+
		call(5, "c3", strings.Repeat(`\u0001`, maxArguments))+itemLine(6, `{"type":"function_call_output","call_id":"c3","output":"`+strings.Repeat(`\u0001`, maxOutput)+`"}`)+
		itemLine(7, `{"type":"tool_search_call","call_id":"c4","arguments":{"query":"q"}}`)+itemLine(8, `{"type":"tool_search_output","call_id":"c4","tools":[{"type":"function","name":"n"}]}`)+
		itemLine(9, `{"type":"image_generation_call","id":"i","revised_prompt":"a cat","result":"AAAA"}`))
	res := h.collect()
	for _, c := range []struct{ key, field, want string }{
		{"2", "arguments", long}, {"2", "arguments_truncated", "false"}, {"2", "output_preview", long}, {"2", "output_truncated", "false"},
		{"4", "arguments", longer[1:]}, {"4", "arguments_truncated", "true"}, {"4", "output_preview", longer[1:]}, {"4", "output_truncated", "true"},
		{"6", "arguments_truncated", "false"}, {"6", "output_truncated", "true"},
		{"8", "kind", "tool_search_call"}, {"8", "arguments", `{"query":"q"}`}, {"8", "output_preview", `[{"type":"function","name":"n"}]`},
		{"10", "kind", "image_generation_call"}, {"10", "arguments", "a cat"}, {"10", "output_preview", "<nil>"},
	} {
		if got := field(res, streamCalls, sessionA+":"+c.key, c.field); got != c.want {
			t.Errorf("%s %s: got %d bytes, %.60q, want %d, %.60q", c.key, c.field, len(got), got, len(c.want), c.want)
		}
	}
	for _, res := range []*sdktest.Result{res, h.again(res)} {
		if got := res.File(rootHome, rolloutName(sessionA)); got != abi.FileBeginning {
			t.Errorf("the rollout: got %q, want %q", got, abi.FileBeginning)
		}
	}
	if got := res.Items(streamCalls); got.Cut != 2 || got.KeptBack != 0 || len(got.Unknown) != 0 {
		t.Errorf("got %+v, want two that are cut, and nothing kept back", got)
	}
}

// A rollout of the first Codex, which wrote them until mid-2025, is called one.
func TestRolloutOfTheFirstCodex(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("sessions/rollout-2025-05-01-"+sessionA+".json", `{"session":{"id":"x"},"items":[]}`)
	res := h.collect()
	if len(res.Skips) == 0 || !strings.Contains(res.Skips[0].Message, "of the first Codex, written in TypeScript, which wrote another format until mid-2025") {
		t.Errorf("got %+v, want it told as what it is", res.Skips)
	}
}
