package main

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// AC-02, AC-05: each file that the manifest does not pass over ends in one word, in the first run
// and in the next, and a line type that is not known is told by its name.
func TestAccounts(t *testing.T) {
	t.Parallel()
	h := small()
	h.put("projects/p/11111111-2222-3333-4444-555555555555.jsonl", userLine("11111111-2222-3333-4444-555555555555", "u1", "hello", 1)+`{"type":"mood","sessionId":"x"}`+"\n")
	h.put("projects/p/22222222-2222-3333-4444-555555555555.jsonl", userLine("22222222-2222-3333-4444-555555555555", "u2", "hello", 1)+"{\"type\": @@@\n")
	h.put("projects/p/memory/note.md", "# Note")
	h.put("projects/p/memory/note.odt", "PK")
	h.put("projects/p/strange.bin", "x")
	h.put("commands/do.md", "Do it.")
	r := run(t, h)
	for when, res := range map[string]func(string) string{
		"first":  func(p string) string { return r.File(rootHome, p) },
		"second": func(p string) string { return again(t, r).File(rootHome, p) },
	} {
		for path, want := range map[string]string{
			"projects/p/11111111-2222-3333-4444-555555555555.jsonl": abi.FileKnown, "projects/p/memory/note.md": abi.FileRead, "commands/do.md": abi.FileRead,
			"projects/p/22222222-2222-3333-4444-555555555555.jsonl": abi.FileDamaged,
			"projects/p/memory/note.odt":                            abi.FileUnknown, "projects/p/strange.bin": abi.FileUnknown,
		} {
			if got := res(path); got != want {
				t.Errorf("%s: %s: got %q, want %q", when, path, got, want)
			}
		}
	}
	if u := r.Items("messages").Unknown; len(u) != 1 || u[0].Name != "mood" || u[0].Count != 1 {
		t.Errorf("unknown: got %v, want mood", u)
	}
}

// AC-05: what a message has in a form that this version does not know is counted by name, so that a message
// without a text is never silence.
func TestContentOfAnUnknownForm(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		`"plain"`:                              "message that is no object",
		`{"role":"user","content":{"text":1}}`: "text block whose text is no text",
		`{"role":"user","content":7}`:          "content that is neither a text nor a list",
		`{"role":"user","content":["bare"]}`:   "",
		`{"role":"user","content":[{"type":"newblock","body":"lost"},{"type":"text","text":"kept"}]}`:                                                      "content block newblock",
		`{"role":"user","content":[{"type":"ne w"}]}`:                                                                                                      "content block",
		`{"role":"user","content":[{"type":"redacted_thinking"},{"type":"image"}]}`:                                                                        "",
		`{"role":"user","content":[{"type":"text","text":{"v":1}}]}`:                                                                                       "text block whose text is no text",
		`{"role":"user","content":[{"type":"thinking","thinking":1}]}`:                                                                                     "thought whose text is no text",
		`{"role":"user","content":[{"type":"tool_result","content":{"v":1}}]}`:                                                                             "content block",
		`{"role":"user","content":[{"type":"tool_result","content":[{"text":["x"]}]}]}`:                                                                    "text block whose text is no text",
		`{"role":"user","content":[{"type":"tool_result","content":[{"type":"hologram","data":"x"}]}]}`:                                                    "content block hologram",
		`{"role":"user","content":[{"type":"search_result","title":1,"content":[{"type":"hologram"}]}]}`:                                                   "content block hologram, search result whose text is no text",
		`{"role":"user","content":[{"type":"tool_reference","tool_name":1}]}`:                                                                              "tool reference whose text is no text",
		`{"role":"user","content":` + strings.Repeat(`[{"type":"tool_result","content":`, maxNested+2) + `["x"]` + strings.Repeat("}]", maxNested+2) + "}": "content block that lies too deep",
		`{"role":"user","content":[{"type":"document","title":1}]}`:                                                                                        "document whose text is no text",
		`{"role":"user","content":[{"type":"document","source":{"type":"text","data":{}}}]}`:                                                               "document whose text is no text",
		`{"role":"user","content":[{"type":"document","source":{"type":"base64","data":"AAAA"}}]}`:                                                         "",
		`{"role":"user","content":[{"type":"text","text":null},{"type":"tool_result"}]}`:                                                                   "",
		`{"role":"user","content":["a",["b"],5,{"type":"text","text":1},{"type":"thinking","thinking":1}]}`:                                                "content block that is no object 2, text block whose text is no text, thought whose text is no text",
		`{"role":"user","content":[{"type":"tool_result","content":["bare",{"text":["x"]},null]}]}`:                                                        "text block whose text is no text",
		`{"role":"user","content":null}`:                                                                                                                   "",
		`null`:                                                                                                                                             "",
	} {
		h := home{}
		h.put(project+one+".jsonl", `{"type":"user","uuid":"u1","sessionId":"`+one+`","timestamp":"2026-03-02T09:00:00Z","message":`+message+"}\n")
		u := run(t, h).Items("messages").Unknown
		var got []string
		for _, odd := range u {
			name := odd.Name
			if odd.Count > 1 {
				name += " " + strconv.FormatInt(odd.Count, 10)
			}
			got = append(got, name)
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("%s: got %q, want %q", message, got, want)
		}
	}
}

// A time in milliseconds is one.
func TestTimeAsANumber(t *testing.T) {
	t.Parallel()
	h := home{}
	h.put(project+one+".jsonl", `{"type":"user","uuid":"u1","sessionId":"`+one+`","timestamp":1772442000000,"message":{"role":"user","content":"x"}}`+"\n")
	r := run(t, h)
	want(t, r, "messages", "u1", map[string]any{"timestamp": "2026-03-02T09:00:00.000Z"})
	want(t, r, "sessions", one, map[string]any{"started_at": "2026-03-02T09:00:00.000Z"})
	if u := r.Items("messages").Unknown; len(u) != 0 {
		t.Errorf("unknown: got %v, want none", u)
	}
}

// A time that no calendar has is told, and its message is a record without one.
func TestTimeThatIsNone(t *testing.T) {
	t.Parallel()
	for _, at := range []string{`"2026-02-31T09:00:00Z"`, `"yesterday"`, `17`} {
		h := home{}
		h.put(project+one+".jsonl", `{"type":"user","uuid":"u1","sessionId":"`+one+`","timestamp":`+at+`,"message":{"role":"user","content":"x"}}`+"\n")
		res := run(t, h)
		if u := res.Items("messages").Unknown; len(u) != 1 || u[0].Name != "timestamp that is no time" || len(res.Records("messages")) != 1 {
			t.Errorf("%s: got %v, want it told, and the message", at, u)
		}
	}
}

// A document, and what a tool found, give their titles and their words, in a message as in a tool's result.
func TestTextOfABlock(t *testing.T) {
	t.Parallel()
	for block, want := range map[string]string{
		`{"type":"document","source":{"type":"text","media_type":"text/plain","data":"what it says"},"title":"n.txt"}`: "n.txt\nwhat it says",
		`{"type":"document","source":{"type":"content","content":[{"type":"text","text":"in blocks"}]},"title":"n"}`:   "n\nin blocks",
		`{"type":"search_result","title":"hit","source":"x","content":[{"type":"text","text":"what it says"}]}`:        "hit\nx\nwhat it says",
		`{"type":"tool_reference","tool_name":"Read"}`:                                                                 "Read",
		`{"type":"hologram","text":"what it says"}`:                                                                    `{"type":"hologram","text":"what it says"}`,
		`{"text":"what it says"}`: "what it says",
	} {
		for _, content := range []string{block, `{"type":"tool_result","tool_use_id":"t","content":[` + block + `]}`} {
			h := home{}
			h.put(project+one+".jsonl", `{"type":"user","uuid":"u1","sessionId":"`+one+`","timestamp":"2026-03-02T09:00:00Z","message":{"role":"user","content":[`+
				content+`,{"type":"text","text":"asked"}]}}`+"\n")
			got := run(t, h).Records("messages")
			if len(got) != 1 || got[0].Text("text") != want+"\nasked" {
				t.Errorf("%s: got %v, want %q in front of the question", content, got, want)
			}
		}
	}
}

// A line of a message that has none is told: what stands beside it is in no record.
func TestALineWithoutItsMessage(t *testing.T) {
	t.Parallel()
	h := home{}
	h.put(project+one+".jsonl", userLine(one, "u1", "hello", 1)+`{"type":"user","uuid":"u2","sessionId":"`+one+`","timestamp":"2026-03-02T09:00:00Z","content":"lost"}`+"\n")
	res := run(t, h)
	if u := res.Items("messages").Unknown; len(u) != 1 || u[0].Name != noMessage || u[0].Count != 1 || len(res.Records("messages")) != 2 {
		t.Errorf("got %v and %d messages, want %q, once, and two", u, len(res.Records("messages")), noMessage)
	}
}

// AC-04: each object of a line is a record, or is counted with what became of it.
func TestItemsAddUp(t *testing.T) {
	t.Parallel()
	const session, copied = "11111111-2222-3333-4444-555555555555", "99999999-2222-3333-4444-555555555555"
	h := home{}
	h.put(project+session+".jsonl", userLine(session, "u1", "hello", 1)+`{"type":"mood","sessionId":"x"}`+"\n"+`{"type":"summary"}`+"\n"+"torn}\n"+
		userLine(session, "u2", strings.Repeat("x", maxContent+1), 2)+`{"type":"permission-mode","sessionId":"`+session+`","permissionMode":"plan"}`+"\n")
	h.put(project+copied+".jsonl", userLine(copied, "u1", "hello", 1)+userLine(copied, "u3", "on", 3))
	res := run(t, h)
	messages := res.Items("messages")
	messages.Unknown = nil
	if want := (abi.StreamAccount{Stream: "messages", Met: 7, Emitted: 3, Duplicate: 1, KeptBack: 1, NotRecord: 2, Cut: 1}); !reflect.DeepEqual(messages, want) {
		t.Errorf("messages: got %+v, want %+v", messages, want)
	}
	if got := res.Items("attachments"); got.Met != 1 || got.Emitted != 1 {
		t.Errorf("attachments: got %+v, want the one", got)
	}
}
