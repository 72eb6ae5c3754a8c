package main

import (
	"reflect"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// AC-02: each file that the manifest does not pass over ends in one word, in the first run and in
// the next.
func TestAccounts(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	good := rolloutName("019ff351-7f44-75c1-9036-cf6aa5f9a601")
	h.write(good, metaLine("019ff351-7f44-75c1-9036-cf6aa5f9a601")+message(1, "user", "hello"))
	h.write("sessions/2026/01/01/rollout-2025-01-01-x.json", "{}")
	h.write("sessions/2026/01/01/strange.bin", "x")
	torn := rolloutName("019ff351-7f44-75c1-9036-cf6aa5f9a602")
	h.write(torn, metaLine("019ff351-7f44-75c1-9036-cf6aa5f9a602")+"{\"type\": @@@\n")
	h.write("AGENTS.md", "- be brief")
	h.write("prompts/a.md", "Do it.")
	check := func(res *sdktest.Result, when string) {
		t.Helper()
		for path, want := range map[string]string{
			good: abi.FileRead, torn: abi.FileDamaged, "sessions/2026/01/01/rollout-2025-01-01-x.json": abi.FileKnown, "sessions/2026/01/01/strange.bin": abi.FileUnknown,
			"AGENTS.md": abi.FileRead, "prompts/a.md": abi.FileRead,
		} {
			if got := res.File(rootHome, path); got != want {
				t.Errorf("%s: %s: got %q, want %q", when, path, got, want)
			}
		}
	}
	first := h.collect()
	check(first, "first")
	check(h.again(first), "second")
}

// A time that no calendar has is told, and its message is a record without one.
func TestTimeThatIsNone(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(rolloutName(sessionA), metaLine(sessionA)+`{"timestamp":"2026-02-31T10:00:00Z","type":"response_item","payload":{"type":"message","role":"user","content":"x"}}`+"\n")
	res := h.collect()
	if u := res.Items(streamMessages).Unknown; len(u) != 1 || u[0].Name != noTime || len(res.Records(streamMessages)) != 1 {
		t.Errorf("got %v, want it told, and the message", u)
	}
}

// A part of a message, or of an output, that ought to have a text, or is not known, is told by its type.
func TestPartsWithoutAText(t *testing.T) {
	t.Parallel()
	for part, want := range map[string]string{
		`{"type":"input_text","text":{"v":1}}`:         "part input_text",
		`{"type":"input_video","video_url":"https:x"}`: "part input_video",
		`"bare"`:                                "part other",
		`{"type":"input_image","image_url":""}`: "",
		`{"type":"input_text","text":"x"}`:      "",
		`{"type":"input_audio"}`:                "",
		`{"type":"input_audio","transcript":1}`: "part input_audio",
	} {
		for stream, item := range map[string]string{
			streamMessages: `{"type":"message","role":"user","content":[` + part + `]}`,
			streamCalls:    `{"type":"function_call_output","call_id":"c","output":[` + part + `]}`,
		} {
			h := newHome(t)
			h.write(rolloutName(sessionA), metaLine(sessionA)+itemLine(1, item))
			u := h.collect().Items(stream).Unknown
			if got := len(u); (want == "") != (got == 0) || got > 0 && (got != 1 || u[0].Name != want) {
				t.Errorf("%s in %s: got %v, want %q", part, stream, u, want)
			}
		}
	}
}

// The transcript of a recording is a part of the text.
func TestTranscriptOfARecording(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	part := `[{"type":"input_audio","data":"AA","transcript":"what was said"}]`
	h.write(rolloutName(sessionA), metaLine(sessionA)+itemLine(1, `{"type":"message","role":"user","content":`+part+`}`)+itemLine(2, `{"type":"function_call_output","call_id":"c","output":`+part+`}`))
	res := h.collect()
	said, output := field(res, streamMessages, sessionA+":2", "content"), field(res, streamCalls, sessionA+":3:output", "output_preview")
	if want := "[input_audio]\nwhat was said"; said != want || output != want {
		t.Errorf("got the message %q and the output %q, want %q", said, output, want)
	}
}

// AC-04, AC-05: each object of a line is a record, or is counted with what became of it, and so it
// is in a run that reads what was appended.
func TestItemsAddUp(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	first := metaLine(sessionA) + message(1, "user", "hello") + callLine(2, "c1") + outputLine(3, "c1", "out") +
		itemLine(4, `{"type":"reasoning"}`) + itemLine(5, `{"type":"mood"}`) + itemLine(6, `{"type":"mood"}`) + "torn}\n" + "\n" + outputLine(7, "c9", "alone")
	h.write(rolloutName(sessionA), first)
	h.write(rolloutName(sessionB), forkMeta(sessionB, sessionA)+message(1, "user", "hello")+message(9, "user", strings.Repeat("x", maxContent+1)))
	res := h.collect()
	messages, calls := res.Items(streamMessages), res.Items(streamCalls)
	unknown := messages.Unknown
	messages.Unknown = nil
	// Two metas, one of a fork, the reasoning and two moods are no records.
	if want := (abi.StreamAccount{Stream: streamMessages, Met: 9, Emitted: 2, Duplicate: 1, KeptBack: 1, NotRecord: 5, Cut: 1}); !reflect.DeepEqual(messages, want) {
		t.Errorf("messages: got %+v, want %+v", messages, want)
	}
	if want := (abi.StreamAccount{Stream: streamCalls, Met: 3, Emitted: 2, NotRecord: 1}); !reflect.DeepEqual(calls, want) {
		t.Errorf("calls: got %+v, want %+v", calls, want)
	}
	if len(unknown) != 1 || unknown[0] != (abi.UnknownName{Name: "item mood", Count: 2}) {
		t.Errorf("unknown: got %v, want two of item mood", unknown)
	}
	h.write(rolloutName(sessionA), first+message(10, "user", "more")+`{"timestamp":"2026-01-01T10:00:11Z","type":"event_msg","payload":{}}`+"\n")
	if got := h.again(res).Items(streamMessages); got.Met != 2 || got.Emitted != 1 || got.NotRecord != 1 {
		t.Errorf("appended: got %+v, want one emitted, and one that is no record", got)
	}
}
