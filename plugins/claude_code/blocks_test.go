package main

import (
	"cmp"
	"strings"
	"testing"
)

// AC-04, AC-05: what a message has is in its record: the blocks of tools that run elsewhere, what a server gave, and a
// block of a type that is not known as it is; a picture is named.
func TestContentOfEachBlock(t *testing.T) {
	t.Parallel()
	type is struct{ form, content string }
	for blocks, want := range map[string]is{
		`[{"type":"text","text":"ok"},{"type":"holo","holo":"SAID"}]`:                                                                                                                          {"text", "ok\n" + `{"type":"holo","holo":"SAID"}`},
		`[{"type":"server_tool_use","id":"s","name":"web_search","input":{"query":"SAID"}}]`:                                                                                                   {"tool_use", `web_search {"query":"SAID"}`},
		`[{"type":"web_search_tool_result","tool_use_id":"s","content":[{"type":"web_search_result","title":"A page","url":"https://a.example/","encrypted_content":"x"}]}]`:                   {"tool_result", "A page\nhttps://a.example/"},
		`[{"type":"web_search_tool_result","content":{"type":"web_search_tool_result_error","error_code":"max_uses_exceeded"}}]`:                                                               {"tool_result", `{"type":"web_search_tool_result_error","error_code":"max_uses_exceeded"}`},
		`[{"type":"web_fetch_tool_result","content":{"type":"web_fetch_result","url":"https://a.example/","content":{"type":"document","title":"T","source":{"type":"text","data":"SAID"}}}}]`: {"tool_result", "https://a.example/\nT\nSAID"},
		`[{"type":"code_execution_tool_result","content":{"type":"code_execution_result","stdout":"SAID"}}]`:                                                                                   {"tool_result", `{"type":"code_execution_result","stdout":"SAID"}`},
		`[{"type":"tool_result","content":[{"type":"resource","resource":{"uri":"file:///x","text":"SAID"}}]}]`:                                                                                {"tool_result", "file:///x\nSAID"},
		`[{"type":"tool_result","content":[{"type":"resource","resource":{"uri":"file:///x","blob":"AAAA"}},{"type":"audio","data":"AAAA"}]}]`:                                                 {"tool_result", "file:///x\n[resource]\n[audio]"},
		`[{"type":"tool_result","content":[{"type":"resource_link","uri":"file:///x","name":"SAID"}]}]`:                                                                                        {"tool_result", `{"type":"resource_link","uri":"file:///x","name":"SAID"}`},
		`[{"type":"tool_result","content":[{"type":"search_result","title":"T","source":"S","content":[{"type":"text","text":"SAID"}]}]}]`:                                                     {"tool_result", "T\nS\nSAID"},
		`[{"type":"text","text":"see"},{"type":"image","source":{"type":"base64","data":"AAAA"}}]`:                                                                                             {"text", "see\n[image]"},
		`[{"type":"image","source":{"type":"url","url":"https://a.example/p.png"}}]`:                                                                                                           {"image", "[image] https://a.example/p.png"},
		`[{"type":"redacted_thinking","data":"x"},{"type":"document","source":{"type":"base64","data":"x"}}]`:                                                                                  {"document", "[redacted_thinking]\n[document]"},
		`{"type":"text","text":"SAID"}`:    {"text", "SAID"},
		`["one","two"]`:                    {"text", "one\ntwo"},
		`{"type":"image","source":{}}`:     {"image", "[image]"},
		`[{"type":"text","text":{"v":1}}]`: {"text", `{"v":1}`},
		`[["SAID"]]`:                       {"other", `["SAID"]`},
		`7`:                                {"other", "7"},
	} {
		h := home{}
		h.put(project+one+".jsonl", `{"type":"user","uuid":"u1","sessionId":"`+one+`","message":{"role":"user","content":`+blocks+"}}\n")
		got := run(t, h).Records("messages")[0]
		if whole := cmp.Or(got.Text("text"), got.Text("content")); got.Text("form") != want.form || whole != want.content {
			t.Errorf("%s: got the form %q and %q, want %q and %q", blocks, got.Text("form"), whole, want.form, want.content)
		}
	}
}

// AC-04: of members of one name the last counts, as it does for Claude Code.
func TestMembersTwice(t *testing.T) {
	t.Parallel()
	h := home{}
	h.put(project+one+".jsonl", `{"type":"x","type":"user","uuid":"u1","sessionId":"`+one+`","message":{"role":"user","content":"first"},`+
		`"message":{"role":"nobody","role":"user","content":[{"type":"odd"}],"content":"last"}}`+"\n")
	r := run(t, h)
	want(t, r, "messages", "u1", map[string]any{"role": "user", "content": "last", "content_length": 4})
	if u := r.Items("messages").Unknown; len(u) != 0 {
		t.Errorf("unknown: got %v, want nothing of what does not count", u)
	}
}

// A message with a picture in front of it is the person's, or a program's, as without.
func TestOriginBehindAPicture(t *testing.T) {
	t.Parallel()
	for text, origin := range map[string]string{"look": "person", "<system-reminder>x</system-reminder>": "program"} {
		h := home{}
		h.put(project+one+".jsonl", `{"type":"user","uuid":"u1","sessionId":"`+one+`","message":{"role":"user","content":[{"type":"image"},{"type":"text","text":"`+text+`"}]}}`+"\n")
		want(t, run(t, h), "messages", "u1", map[string]any{"content": text, "text": "[image]\n" + text, "origin": origin})
	}
}

// AC-04: two lines of one uuid that differ far behind their beginning are two messages.
func TestLongLinesOfOneUUID(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", keyCharacters+1)
	h := home{}
	h.put(project+one+".jsonl", userLine(one, "u1", "x", 1)+userLine(one, "u1", long+"a", 2)+userLine(one, "u1", "x", 3))
	h.add(project+one+".jsonl", userLine(one, "u2", long+"a", 4)+userLine(one, "u2", long+"b", 5))
	if got := run(t, h).Items("messages"); got.Emitted != 4 || got.Duplicate != 1 {
		t.Errorf("%+v, want four messages and a copy", got)
	}
}
