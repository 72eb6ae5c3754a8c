package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/sdk/jsonraw"
)

// FuzzLine compares the line reader with encoding/json: the reader accepts every object
// that encoding/json accepts, and reads the same text from it. For any bytes, its
// results fit into a record.
func FuzzLine(f *testing.F) {
	files, err := filepath.Glob("../../examples/claude_code/projects/*/*.jsonl")
	if err != nil || len(files) == 0 {
		f.Fatal("no example transcripts", err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for l := range bytes.Lines(b) {
			f.Add(bytes.TrimSpace(l))
		}
	}
	for _, s := range []string{
		`{}`, `{"type":"user"`, `{"a":[1,{"b":[]}],"type":"user","message":{"content":[{"type":"text","text":"\ud83d\ude00 \ud800 \u00zz"}]}}`,
		`{"type":"user","message":{"content":[[],{},1,null,{"type":"tool_result","content":[{"text":"a"},7,{"text":"\\\""}]}]}}`,
		`{"message":[1],"message":{"role":"x"},"type":"assistant","uuid":"\\"}`, `{"a":-,"b":1}`, `{"a":1,}`, `{,}`, `{"a" 1}`, `[]`, "{\"a\":\"\x01\xff\"}",
		`{"type":"attachment","attachment":{"type":"\u0061","content":"","stdout":"x"}}`,
	} {
		f.Add([]byte(s))
	}
	var p parser
	f.Fuzz(func(t *testing.T, line []byte) {
		e, ok := p.parse(line)
		var oracle map[string]json.RawMessage
		valid := json.Unmarshal(line, &oracle) == nil && oracle != nil
		if valid && !ok && depth(line) < jsonraw.MaxDepth {
			t.Fatal("a JSON object was refused")
		}
		if !ok {
			return
		}
		content := string(p.text.Buf)
		if !utf8.ValidString(content) || utf8.RuneCountInString(content) > maxContent {
			t.Fatal("the content is not valid UTF-8, or longer than maxContent")
		}
		for _, v := range []raw{e.typ, e.uuid, e.parent, e.session, e.cwd, e.timestamp} {
			if s := text(v); !utf8.ValidString(s) {
				t.Fatalf("%q is not valid UTF-8", s)
			}
		}
		compare(t, &p, e, oracle, valid)
		if e.kind == lineAttachment {
			if a := p.readAttachment(e); a.size < 0 || !utf8.Valid(p.text.Buf) || utf8.RuneCount(p.text.Buf) > maxPreview {
				t.Fatal("the preview is not valid UTF-8, or longer than maxPreview")
			}
		}
	})
}

// compare checks the results of a line that encoding/json reads, too.
func compare(t *testing.T, p *parser, e *event, oracle map[string]json.RawMessage, valid bool) {
	t.Helper()
	if !valid || repeats(oracle, p.r.Src) {
		return
	}
	for name, v := range map[string]raw{"uuid": e.uuid, "sessionId": e.session, "cwd": e.cwd} {
		var want string
		if json.Unmarshal(oracle[name], &want) == nil && len(want) < maxField && text(v) != want {
			t.Fatalf("%s is %q, want %q", name, text(v), want)
		}
	}
	var message struct {
		Content string `json:"content"`
	}
	if json.Unmarshal(oracle["message"], &message) == nil && !bytes.Contains(oracle["message"], []byte("\\u")) &&
		strings.Count(string(oracle["message"]), "ontent") == 1 && bytes.Contains(oracle["message"], []byte(`"content"`)) {
		want := []rune(message.Content)
		if string(want[:min(len(want), maxContent)]) != string(p.text.Buf) {
			t.Fatalf("content is %q, want %q", p.text.Buf, message.Content)
		}
	}
}

// repeats reports whether a name may occur twice in the text: there the two readers
// differ, since encoding/json takes names for the same that differ in case.
func repeats(oracle map[string]json.RawMessage, line []byte) bool {
	if bytes.Contains(line, []byte("\\u")) {
		return true
	}
	for name := range oracle {
		if bytes.Count(bytes.ToLower(line), []byte(strings.ToLower(name))) > 1 {
			return true
		}
	}
	return false
}

func depth(line []byte) int {
	n, most := 0, 0
	for _, c := range line {
		switch c {
		case '{', '[':
			n++
			most = max(most, n)
		case '}', ']':
			n--
		}
	}
	return most
}

func FuzzFrontmatter(f *testing.F) {
	for _, s := range []string{
		"---\nname: a\n---\n", "---\r\nname: 'a'\r\ntags: [x, \"y\"]\r\n---", "---\na: |\n  b\n  c\nd: >\n  e\nf:\n - g\n - h\nn:\n  deep: 1\n---", "---\n", "",
		"\ufeff---\nname: \"q: r\"\n--- \nx", "---\na: b\na: c\n\xff: d\n---",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m := readHeader(string(b))
		if !strings.HasSuffix(string(b), m.body) || m.metadata == nil && m.body != string(b) {
			t.Fatalf("the text is %q, want what is behind the front matter", m.body)
		}
		var v map[string]any
		for _, object := range [][]byte{m.metadata, m.texts} {
			if err := json.Unmarshal(object, &v); object != nil && err != nil || !utf8.Valid(object) {
				t.Fatalf("%q: %v, want a JSON object in valid UTF-8", object, err)
			}
		}
		v = nil
		if err := json.Unmarshal(m.texts, &v); err != nil {
			t.Fatal(err)
		}
		if got, _ := v["name"].(string); got != strings.ToValidUTF8(m.name, "\ufffd") && utf8.ValidString(m.name) {
			t.Fatalf("name is %q, want %q as in the object", m.name, got)
		}
	})
}
