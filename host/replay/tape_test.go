package replay

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

const (
	zeros     = "0000000000000000000000000000000000000000000000000000000000000000"
	firstLine = `{"pdpp_recording":1,"abi":1,"connector":"x","version":"0.1.0","module_sha256":"` + zeros + `","manifest_sha256":"` + zeros +
		`","clock_start":"2026-01-02T03:04:05Z","seed":"` + zeros + `","mode":"incremental","bindings":["network"]}` + "\n"
	submitLine = `{"event":"submit","request":1,"op":"now","text":""}` + "\n"
	answerLine = `{"event":"answer","request":1,"text":"{}"}` + "\n"
	emitLine   = `{"event":"emit","text":"{}"}` + "\n"
	endLine    = `{"event":"end","returned":true}` + "\n"
	wholeTape  = firstLine + submitLine + emitLine + answerLine + endLine
)

// A recording keeps to its format to the letter, and everything else is refused
// with a code and a line.
func TestTapeIsStrict(t *testing.T) {
	t.Parallel()
	if h, err := check(strings.NewReader(wholeTape)); err != nil || h.Connector != "x" {
		t.Fatalf(`check(strings.NewReader(wholeTape)): got %+v, %+v, want no error && h.Connector == "x"`, h, err)
	}
	header := func(old, now string) string { return strings.Replace(wholeTape, old, now, 1) }
	for name, text := range map[string]string{
		"nothing":              "",
		"no header":            submitLine + endLine,
		"a newer format":       header(`"pdpp_recording":1`, `"pdpp_recording":2`),
		"another ABI":          header(`"abi":1`, `"abi":2`),
		"a path for a name":    header(`"connector":"x"`, `"connector":"../x"`),
		"no name":              header(`"connector":"x"`, `"connector":""`),
		"a short hash":         header(`"module_sha256":"00`, `"module_sha256":"`),
		"capitals in a hash":   header(`"manifest_sha256":"0000`, `"manifest_sha256":"AAAA`),
		"no clock":             header(`2026-01-02T03:04:05Z`, `soon`),
		"another zone":         header(`2026-01-02T03:04:05Z`, `2026-01-02T03:04:05+01:00`),
		"long ago":             header(`2026-01-02T03:04:05Z`, `1066-01-02T03:04:05Z`),
		"bindings twice":       header(`["network"]`, `["network","browser"]`),
		"a name twice":         header(`"abi":1,`, `"abi":1,"abi":1,`),
		"another case":         header(`"abi":1`, `"ABI":1`),
		"an unknown name":      header(`"abi":1,`, `"abi":1,"more":2,`),
		"space":                header(`"abi":1`, `"abi": 1`),
		"another spelling":     header(`"text":"{}"`, `"text":"\u007b}"`),
		"invalid UTF-8":        header(`"text":"{}"`, "\"text\":\"\xff\""),
		"two values":           header(emitLine, `{"event":"emit","text":"{}"}{}`+"\n"),
		"no kind":              header(emitLine, `{"text":"{}"}`+"\n"),
		"an unknown kind":      header(emitLine, `{"event":"manifest","text":"{}"}`+"\n"),
		"no payload":           header(emitLine, `{"event":"emit"}`+"\n"),
		"two payloads":         header(emitLine, `{"event":"emit","text":"{}","base64":"/w=="}`+"\n"),
		"a level":              header(emitLine, `{"event":"emit","level":1,"text":"{}"}`+"\n"),
		"an unknown operation": header(`"op":"now"`, `"op":"later"`),
		"a wrong number":       header(submitLine, `{"event":"submit","request":2,"op":"now","text":""}`+"\n"),
		"a negative number":    header(submitLine, `{"event":"submit","request":-1,"op":"now","text":""}`+"\n"),
		"an answer too early":  firstLine + answerLine + submitLine + endLine,
		"an answer twice":      header(answerLine, answerLine+answerLine),
		"a refusal of nothing": firstLine + `{"event":"refused","error":{"code":"x.y"}}` + "\n" + endLine,
		"a refused log":        header(emitLine, `{"event":"log","text":"x"}`+"\n"+`{"event":"refused","error":{"code":"x.y"}}`+"\n"),
		"refused twice":        header(emitLine, emitLine+strings.Repeat(`{"event":"refused","error":{"code":"x.y"}}`+"\n", 2)),
		"a refusal unnamed":    header(emitLine, emitLine+`{"event":"refused","error":{"code":""}}`+"\n"),
		"another's refusal":    header(emitLine, emitLine+`{"event":"refused","request":1,"error":{"code":"x.y"}}`+"\n"),
		"going on after":       header(emitLine, emitLine+`{"event":"refused","error":{"code":"x.y"}}`+"\n"+emitLine),
		"an end that is both":  header(endLine, `{"event":"end","error":{"code":"guest.trap"},"returned":true}`+"\n"),
		"an end that is none":  header(endLine, `{"event":"end"}`+"\n"),
		"after the end":        wholeTape + emitLine,
		"a line end after":     wholeTape + "\n",
		"too many in flight": firstLine + func() string {
			var b strings.Builder
			for i := range abi.MaxInFlight + 1 {
				b.WriteString(strings.Replace(submitLine, ":1", ":"+strconv.Itoa(i+1), 1))
			}
			return b.String()
		}() + endLine,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if text == wholeTape {
				t.Fatal("the recording is as it was")
			}
			_, err := check(strings.NewReader(text))
			wantCode(t, err, CodeInvalid)
		})
	}
}

// Wherever a recording is cut off, it is not taken for whole.
func TestTapeCutOff(t *testing.T) {
	t.Parallel()
	for n := range len(wholeTape) {
		_, err := check(strings.NewReader(wholeTape[:n]))
		if code := abi.CodeOf(err); err == nil || code != CodeIncomplete && (code != CodeInvalid || n >= len(firstLine)) {
			t.Fatalf("%d bytes: %v, want err != nil && (code == CodeIncomplete || code == CodeInvalid && n < len(firstLine))", n, err)
		}
	}
}

// A line without an end takes no more memory than a line may.
func TestTapeLineWithoutEnd(t *testing.T) {
	t.Parallel()
	endless := io.MultiReader(strings.NewReader(firstLine), &spaces{left: 2 * maxLine})
	_, err := check(endless)
	wantCode(t, err, CodeInvalid)
}

type spaces struct{ left int }

func (s *spaces) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), s.left)
	s.left -= n
	for i := range p[:n] {
		p[i] = ' '
	}
	return n, nil
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "run.jsonl")
	write(t, path, wholeTape)
	for _, p := range []string{dir, filepath.Join(dir, "none")} {
		_, err := Open(p, 0)
		wantCode(t, err, CodeInvalid)
	}
	_, err := Open(path, int64(len(wholeTape))-1)
	wantCode(t, err, CodeInvalid)
	tape, err := Open(path, int64(len(wholeTape)))
	if err != nil {
		t.Fatal(err)
	}
	if err := tape.Close(); err != nil {
		t.Error(err)
	}
}

// A file that changes after it was opened is checked again.
func TestFileChangesUnderReplay(t *testing.T) {
	t.Parallel()
	path := recorded(t, plugin.IsolationInline, scripted, &host{})
	tape, err := Open(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tape.Close() }()
	write(t, path, strings.TrimSuffix(read(t, path), "}\n"))
	_, err = Play(t.Context(), tape, load(t, plugin.IsolationInline, scripted))
	wantCode(t, err, CodeIncomplete)
}

// FuzzTape reads any file: it is refused with a code, or it is a recording that
// encodes to itself, and a guest that follows it to the letter plays it.
func FuzzTape(f *testing.F) {
	f.Add([]byte(wholeTape))
	f.Add([]byte(firstLine + submitLine + `{"event":"refused","request":1,"error":{"code":"x.y","message":"m"}}` + "\n" + endLine))
	f.Add([]byte(firstLine + `{"event":"log","level":-4,"base64":"/w=="}` + "\n" + `{"event":"end","error":{"code":"guest.exit"},"code":3}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := check(bytes.NewReader(text)); err != nil {
			if code := abi.CodeOf(err); code != CodeInvalid && code != CodeIncomplete {
				t.Fatalf("abi.CodeOf(err): got %+v, want code == CodeInvalid || code == CodeIncomplete", err)
			}
			return
		}
		for _, lenient := range []bool{false, true} {
			follow(t, text, lenient)
		}
	})
}

// follow plays a recording with a guest that reads it along.
func follow(t *testing.T, text []byte, lenient bool) {
	t.Helper()
	script, played := newCursor(bytes.NewReader(text)), newCursor(bytes.NewReader(text))
	_, _ = script.header()
	_, _ = played.header()
	p, err := newPlayer(played, lenient, func() {})
	if err != nil {
		t.Fatal(err)
	}
	answers, refusals := 0, 0
	for {
		e, err := script.next()
		if errors.Is(err, io.EOF) {
			break
		}
		refused := error(nil)
		switch e.Kind {
		case kindSubmit:
			op, _ := operation(e.Op)
			refused = p.Submit(op, e.payload(), func([]byte) { answers++ })
		case kindAnswer:
			answers--
		case kindRefused:
			refusals--
		case kindLog:
			p.Log(e.Level, e.payload())
		case kindEnd:
			exit := plugin.Exit{Returned: e.Returned, Code: e.Code}
			if e.Error != nil {
				exit.Err = e.Error.err()
			}
			if err := p.finish(exit); !lenient && err != nil {
				t.Fatalf("p.finish(exit): got %+v, want lenient || no error", err)
			}
		default:
			refused = p.Message(e.Kind, e.payload())
		}
		if refused != nil {
			refusals++
		}
	}
	if p.difference != nil || !lenient && (p.err != nil || answers != 0 || refusals != 0) {
		t.Fatalf("got %+v %v %d %d, want p.difference == nil && (lenient || p.err == nil && answers == 0 && refusals == 0)", p.difference, p.err, answers, refusals)
	}
}
