package corpus

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// claudeSession is the transcript being written.
type claudeSession struct {
	*writer
	id, cwd, branch string
	agent           string // of a subagent's transcript
	parent          string // uuid of the line before
	text            []byte
}

// writeClaudeCode writes a home folder of Claude Code with about size bytes of
// transcripts, a few megabytes each, and some of everything else.
func writeClaudeCode(w *writer, size int64) {
	w.whole("settings.json", `{"model": "default", "cleanupPeriodDays": 30}`+"\n")
	w.whole("history.jsonl", "")
	w.whole("skills/release-notes/SKILL.md", "---\nname: release-notes\ndescription: Writes release notes from merged changes\n---\n\nCollect the merged changes.\n")
	w.whole("commands/review/tests.md", "---\ndescription: Reviews the tests of a change\nargument-hint: [branch]\n---\n\nReview the tests of $ARGUMENTS.\n")
	w.whole("backups/settings.json.backup.1", "{}\n")
	w.whole("cache/changelog.md", "# Changelog\n")
	for n := 0; w.stats.Bytes < size && w.err == nil; n++ {
		cwd := fmt.Sprintf("/home/mira/code/%s-%02d", words[20+n%40], n%97)
		dir := "projects/" + strings.NewReplacer("/", "-", ".", "-").Replace(cwd)
		if n < 97 {
			w.stats.Items["memory_notes"]++
			w.whole(dir+"/memory/MEMORY.md", "# Notes\n\n- "+string(w.sentence(nil, 200))+"\n")
		}
		s := &claudeSession{writer: w, id: w.uuid(), cwd: cwd, branch: w.pick([]string{"main", "fix/retry", "feature/export"})}
		w.create(dir + "/" + s.id + ".jsonl")
		s.transcript(min(size-w.stats.Bytes, int64(s.skewed(1_500_000, 24_000_000))))
		if w.rand.IntN(3) == 0 {
			s.agent, s.parent = w.opaque(17), ""
			w.create(dir + "/" + s.id + "/subagents/agent-" + s.agent + ".jsonl")
			s.transcript(min(size-w.stats.Bytes, int64(s.skewed(150_000, 2_000_000))))
		}
		if w.rand.IntN(2) == 0 {
			w.stats.Items["attachments"]++
			w.whole(dir+"/"+s.id+"/tool-results/toolu_"+w.opaque(24)+".txt", string(w.listing(nil, s.skewed(40_000, 400_000))))
			w.whole("file-history/"+s.id+"/"+strings.ToLower(w.opaque(16))+"@v1", string(w.listing(nil, 2000)))
		}
	}
}

// transcript writes size bytes of conversation and at least one line.
func (s *claudeSession) transcript(size int64) {
	if s.agent == "" {
		s.stats.Items["attachments"]++
		s.line = append(s.line, `{"type":"permission-mode","permissionMode":"default","sessionId":"`+s.id+`"}`...)
		s.end()
		s.hook()
	}
	for end := s.stats.Bytes + size; ; {
		s.turn()
		if s.stats.Bytes >= end || s.err != nil {
			break
		}
	}
	if s.agent == "" {
		s.stats.Items["attachments"]++
		s.line = append(s.line, `{"type":"last-prompt","lastPrompt":`...)
		s.line = quote(s.line, s.sentence(s.text[:0], 80))
		s.line = append(s.line, `,"sessionId":"`+s.id+`"}`...)
		s.end()
	}
}

// turn writes a prompt and the work that answers it.
func (s *claudeSession) turn() {
	s.advance(20 * time.Minute)
	s.prompt()
	for range s.rand.IntN(9) + 1 {
		s.advance(20 * time.Second)
		if s.rand.IntN(3) == 0 {
			s.thinking()
		}
		s.toolCall()
	}
	s.advance(20 * time.Second)
	s.answer()
	if s.rand.IntN(4) == 0 {
		s.turnDuration()
	}
}

// open starts a line with the members that every event has, up to type.
func (s *claudeSession) open(kind string) {
	stream := "messages"
	if kind == "attachment" {
		stream = "attachments"
	}
	s.stats.Items[stream]++
	b := append(s.line, `{"parentUuid":`...)
	if s.parent == "" {
		b = append(b, "null"...)
	} else {
		b = quote(b, s.parent)
	}
	b = append(b, `,"isSidechain":`...)
	b = strconv.AppendBool(b, s.agent != "")
	b = append(b, `,"userType":"external","entrypoint":"cli","cwd":`...)
	b = quote(b, s.cwd)
	b = append(b, `,"sessionId":"`+s.id+`","version":"2.1.34","gitBranch":"`+s.branch+`",`...)
	if s.agent != "" {
		b = append(b, `"agentId":"`+s.agent+`",`...)
	}
	s.line = append(b, `"type":"`+kind+`",`...)
}

// shut ends the line with its uuid and timestamp.
func (s *claudeSession) shut() {
	s.parent = s.uuid()
	s.line = append(s.line, `,"uuid":"`+s.parent+`","timestamp":"`+s.stamp()+`"}`...)
	s.end()
}

func (s *claudeSession) prompt() {
	message := s.uuid()
	s.open("user")
	s.line = append(s.line, `"message":{"role":"user","content":`...)
	s.line = quote(s.line, s.sentence(s.text[:0], s.skewed(180, 4000)))
	s.line = append(s.line, '}')
	s.shut()
	if s.agent == "" {
		s.stats.Items["attachments"]++
		s.line = append(s.line, `{"type":"file-history-snapshot","messageId":"`+message+`","snapshot":{"messageId":"`+message+
			`","trackedFileBackups":{},"timestamp":"`+s.stamp()+`"},"isSnapshotUpdate":false}`...)
		s.end()
	}
}

// assistant starts an assistant line up to its one content block.
func (s *claudeSession) assistant() {
	s.open("assistant")
	s.line = append(s.line, `"message":{"model":"claude-opus-4-6","id":"msg_`+s.opaque(24)+`","type":"message","role":"assistant","content":[`...)
}

func (s *claudeSession) assistantEnd(reason string) {
	in, out := strconv.Itoa(s.rand.IntN(90000)), strconv.Itoa(s.rand.IntN(4000))
	s.line = append(s.line, `],"stop_reason":`+reason+`,"stop_sequence":null,"usage":{"input_tokens":3,"cache_creation_input_tokens":`+in+
		`,"cache_read_input_tokens":`+in+`,"cache_creation":{"ephemeral_5m_input_tokens":`+in+
		`,"ephemeral_1h_input_tokens":0},"output_tokens":`+out+`,"service_tier":"standard"}},"requestId":"req_`+s.opaque(24)+`"`...)
	s.shut()
}

func (s *claudeSession) thinking() {
	s.assistant()
	s.line = append(s.line, `{"type":"thinking","thinking":`...)
	s.line = quote(s.line, s.sentence(s.text[:0], s.skewed(300, 4000)))
	s.line = append(s.line, `,"signature":"`+s.opaque(s.skewed(500, 4000))+`"}`...)
	s.assistantEnd("null")
}

func (s *claudeSession) answer() {
	s.assistant()
	s.line = append(s.line, `{"type":"text","text":`...)
	s.line = quote(s.line, s.sentence(s.text[:0], s.skewed(600, 9000)))
	s.line = append(s.line, '}')
	s.assistantEnd(`"end_turn"`)
}

func (s *claudeSession) toolCall() {
	id, path := "toolu_"+s.opaque(24), s.cwd+"/src/"+s.pick(words[20:60])+".go"
	s.assistant()
	s.line = append(s.line, `{"type":"tool_use","id":"`+id+`","name":"`+s.pick([]string{"Read", "Bash", "Edit", "Grep"})+`","input":{"file_path":`...)
	s.line = quote(s.line, path)
	s.line = append(s.line, `,"command":`...)
	s.line = quote(s.line, s.sentence(s.text[:0], s.skewed(120, 3000)))
	s.line = append(s.line, `}}`...)
	s.assistantEnd(`"tool_use"`)

	s.advance(5 * time.Second)
	s.text = s.listing(s.text[:0], s.skewed(1800, 60_000))
	s.open("user")
	s.line = append(s.line, `"message":{"role":"user","content":[{"tool_use_id":"`+id+`","type":"tool_result","content":`...)
	s.line = quote(s.line, s.text)
	s.line = append(s.line, `}]},"toolUseResult":{"type":"text","file":{"filePath":`...)
	s.line = quote(s.line, path)
	s.line = append(s.line, `,"content":`...)
	s.line = quote(s.line, s.text)
	s.line = append(s.line, `,"numLines":40,"startLine":1,"totalLines":40}}`...)
	s.shut()
}

func (s *claudeSession) hook() {
	s.open("attachment")
	s.line = append(s.line, `"attachment":{"type":"hook_success","hookName":"SessionStart:startup","toolUseID":"`+s.uuid()+
		`","hookEvent":"SessionStart","content":"","stdout":`...)
	s.line = quote(s.line, s.listing(s.text[:0], s.skewed(300, 5000)))
	s.line = append(s.line, `,"stderr":"","exitCode":0}`...)
	s.shut()
}

func (s *claudeSession) turnDuration() {
	s.open("system")
	s.line = append(s.line, `"subtype":"turn_duration","durationMs":`+strconv.Itoa(s.rand.IntN(90000))+`,"isMeta":false`...)
	s.shut()
}
