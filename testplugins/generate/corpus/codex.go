package corpus

import (
	"bytes"
	"strconv"
	"time"
)

// writeCodex writes a home folder of Codex with about size bytes of rollouts.
func writeCodex(w *writer, size int64) {
	w.whole("config.toml", "model = \"default\"\n")
	w.whole("history.jsonl", "")
	w.whole("prompts/explain.md", "Explain the change to someone new.\n")
	w.whole("rules/default.rules", "prefix_rule(pattern=[\"git\", \"status\"], decision=\"allow\")\n")
	w.whole("skills/changelog/SKILL.md", "---\nname: changelog\ndescription: Keeps the changelog\n---\n\nAppend an entry.\n")
	for w.stats.Bytes < size && w.err == nil {
		w.advance(12 * time.Hour)
		id := w.uuid()
		w.create("sessions/" + day(w.now) + "/rollout-" + w.now.Format("2006-01-02T15-04-05") + "-" + id + ".jsonl")
		w.rollout(id, min(size-w.stats.Bytes, int64(w.skewed(800_000, 12_000_000))))
	}
}

// event writes one rollout line around the payload appended by body.
func (w *writer) event(kind string, body func(b []byte) []byte) {
	w.line = append(w.line, `{"timestamp":"`+w.stamp()+`","type":"`+kind+`","payload":`...)
	w.line = append(body(w.line), '}')
	stream := "messages"
	if bytes.Contains(w.line, []byte(`"payload":{"type":"function_call`)) {
		stream = "function_calls"
	}
	w.stats.Items[stream]++
	w.end()
}

func (w *writer) rollout(id string, size int64) {
	w.event("session_meta", func(b []byte) []byte {
		return append(b, `{"id":"`+id+`","timestamp":"`+w.stamp()+
			`","cwd":"/home/mira/code/`+w.pick(words[20:60])+`","originator":"codex_cli_rs","cli_version":"0.98.0","source":"cli","git":{"branch":"main"}}`...)
	})
	for end := w.stats.Bytes + size; ; {
		w.advance(10 * time.Minute)
		w.codexMessage("user", "input_text", w.skewed(200, 4000))
		for range w.rand.IntN(8) + 1 {
			w.codexCall()
		}
		w.codexMessage("assistant", "output_text", w.skewed(700, 8000))
		if w.stats.Bytes >= end || w.err != nil {
			return
		}
	}
}

func (w *writer) codexMessage(role, block string, size int) {
	w.advance(20 * time.Second)
	w.event("response_item", func(b []byte) []byte {
		b = append(b, `{"type":"message","role":"`+role+`","content":[{"type":"`+block+`","text":`...)
		b = quote(b, w.sentence(nil, size))
		return append(b, `}]}`...)
	})
}

func (w *writer) codexCall() {
	call := "call_" + w.opaque(24)
	w.advance(10 * time.Second)
	w.event("response_item", func(b []byte) []byte {
		b = append(b, `{"type":"function_call","name":"shell","arguments":`...)
		arguments := append([]byte(`{"command":["bash","-lc",`), quote(nil, w.sentence(nil, w.skewed(80, 2000)))...)
		b = quote(b, append(arguments, "]}"...))
		return append(b, `,"call_id":"`+call+`"}`...)
	})
	w.advance(10 * time.Second)
	w.event("response_item", func(b []byte) []byte {
		b = append(b, `{"type":"function_call_output","call_id":"`+call+`","output":`...)
		b = quote(b, w.listing(nil, w.skewed(1500, 50_000)))
		return append(b, '}')
	})
	w.event("event_msg", func(b []byte) []byte {
		return append(b, `{"type":"token_count","info":{"total_tokens":`+strconv.Itoa(w.rand.IntN(90000))+`}}`...)
	})
}
