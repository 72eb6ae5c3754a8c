//go:build wasip1

package main

import (
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unsafe"
)

//go:embed manifest.json
var manifest string

func main() {}

//go:wasmexport pdpp_abi_version
func abiVersion() int32 { return 1 }

//go:wasmexport pdpp_describe
func describe() int32 {
	call("manifest", []byte(manifest))
	return 0
}

// player is the state of one collect.
type player struct {
	start    string
	answer   string
	result   int32
	emitted  int
	returned bool
	code     int32
}

//go:wasmexport pdpp_collect
func collect() int32 {
	p := &player{}
	p.request(1, nil, true)
	p.start = conditions(p.answer)
	var start struct {
		Options map[string]string `json:"options"`
	}
	if err := json.Unmarshal([]byte(p.answer), &start); err != nil {
		panic("START: " + err.Error())
	}
	script := start.Options["script"]
	if script == "" {
		script = "done {\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":0}"
	}
	for _, line := range strings.Split(script, "\n") {
		if line = strings.TrimSpace(line); line != "" && !p.returned {
			p.play(line)
		}
	}
	return p.code
}

// conditions is START as when and unless see it: without the cursors of before,
// which a full refresh does not go on from.
func conditions(start string) string {
	var fields map[string]json.RawMessage
	if !strings.Contains(start, "previous_state") || json.Unmarshal([]byte(start), &fields) != nil {
		return start
	}
	delete(fields, "previous_state")
	b, err := json.Marshal(fields)
	must(err)
	return string(b)
}

func (p *player) play(line string) {
	name, rest, _ := strings.Cut(line, " ")
	switch name {
	case "emit", "state", "gap", "coverage", "enumerate", "skip", "account", "progress", "done":
		if name == "emit" {
			p.emitted++
		}
		p.result = call(name, []byte(strings.ReplaceAll(rest, `\n`, "\n")))
	case "bytes":
		target, text, _ := strings.Cut(rest, " ")
		raw, err := hex.DecodeString(text)
		must(err)
		p.result = call(target, raw)
	case "pointer":
		f := strings.Fields(rest)
		p.result = invoke(f[0], uint32(number(f[1])), uint32(number(f[2])))
	case "big":
		f := strings.Fields(rest)
		p.result = call(f[0], make([]byte, number(f[1])))
	case "flood":
		f := strings.SplitN(rest, " ", 3)
		for range number(f[1]) {
			p.result = call(f[0], []byte(f[2]))
		}
	case "submit", "pending":
		op, text, _ := strings.Cut(rest, " ")
		p.request(int32(number(op)), []byte(text), name == "submit")
	case "expect":
		if !strings.Contains(p.answer, rest) {
			panic("the last answer is " + p.answer[:min(len(p.answer), 2000)])
		}
	case "result":
		if int64(p.result) != number(rest) {
			panic("the last call returned " + strconv.Itoa(int(p.result)))
		}
	case "error":
		if said := lastError(); !strings.Contains(said, rest) {
			panic("last_error says " + said)
		}
	case "pad":
		f := strings.SplitN(rest, " ", 3)
		p.result = call(f[1], []byte(strings.ReplaceAll(f[2], "@", strings.Repeat("x", int(number(f[0]))))))
	case "repeat":
		n, command, _ := strings.Cut(rest, " ")
		for i := range number(n) {
			p.play(strings.ReplaceAll(command, "#", strconv.FormatInt(i, 10)))
		}
	case "when", "unless":
		text, command, _ := strings.Cut(rest, " ")
		if strings.Contains(p.start, text) == (name == "when") && !p.returned {
			p.play(command)
		}
	case "finish":
		p.play(`done {"type":"DONE","status":"succeeded","records_emitted":` + strconv.Itoa(p.emitted) + "}")
	case "wait":
		p.result = int32(waitAny(int32(number(rest))) >> 32)
	case "records":
		f := strings.Fields(rest)
		p.records(f[0], number(f[1]), number(f[2]))
	case "log":
		n, text, _ := strings.Cut(rest, " ")
		for range number(n) {
			logText(text)
		}
	case "stdout", "stderr":
		out := os.Stdout
		if name == "stderr" {
			out = os.Stderr
		}
		n, text, _ := strings.Cut(rest, " ")
		for range number(n) {
			_, _ = out.WriteString(text + "\n")
		}
	default:
		p.misbehave(name, rest)
	}
}

func (p *player) misbehave(name, rest string) {
	switch name {
	case "loop":
		for i := 0; ; i++ {
			sink = i
		}
	case "recurse":
		sink = fib(90)
	case "hunger":
		var kept [][]byte
		for {
			kept = append(kept, make([]byte, 1<<20))
			kept[len(kept)-1][0] = 1
			sink = len(kept)
		}
	case "poll":
		for {
			sink += int(waitAny(0))
		}
	case "trap":
		panic("asked to trap")
	case "sleep":
		time.Sleep(time.Duration(number(rest)) * time.Millisecond)
	case "exit":
		os.Exit(int(number(rest)))
	case "return":
		p.code, p.returned = int32(number(rest)), true
	case "open":
		path, text, _ := strings.Cut(rest, " ")
		b, err := os.ReadFile(path)
		must(err)
		if !strings.HasPrefix(string(b), text) {
			panic(path + " does not begin with " + text)
		}
	case "denied":
		if _, err := os.ReadFile(rest); err == nil {
			panic(rest + " could be read")
		}
	case "unwritable":
		if err := os.WriteFile(rest, []byte("written"), 0o600); err == nil {
			panic(rest + " could be written")
		}
	case "bare":
		// Go names its own program; nothing else may come from outside.
		if len(os.Environ()) > 0 || len(os.Args) > 1 {
			panic("there is an environment, or an argument")
		}
		if n, err := os.Stdin.Read(make([]byte, 1)); n > 0 || err == nil {
			panic("there is a standard input")
		}
	case "list":
		entries, err := os.ReadDir(rest)
		must(err)
		for _, e := range entries {
			logText(e.Name())
		}
	default:
		panic("unknown command " + name)
	}
}

func (p *player) records(stream string, from, to int64) {
	var b []byte
	for i := from; i < to; i++ {
		p.emitted++
		id := stream + "-" + strconv.FormatInt(i, 10)
		b = append(b, `{"type":"RECORD","stream":"`+stream+`","key":"`+id+`","data":{"id":"`+id+`","n":`...)
		b = strconv.AppendInt(b, i, 10)
		b = append(b, `},"emitted_at":"2026-01-01T00:00:00Z"}`...)
		b = append(b, '\n')
		if len(b) > 60<<10 {
			p.result = call("emit", b)
			b = b[:0]
		}
	}
	if len(b) > 0 {
		p.result = call("emit", b)
	}
}

func (p *player) request(op int32, payload []byte, wait bool) {
	handle := submit(op, pointer(payload), uint32(len(payload)))
	runtime.KeepAlive(payload)
	p.result, p.answer = handle, ""
	if handle <= 0 {
		p.answer = lastError()
		return
	}
	if !wait {
		return
	}
	for {
		done := waitAny(-1)
		if done <= 0 {
			continue
		}
		length := uint32(done)
		buf := make([]byte, length)
		var n uint32
		for n < length {
			got := read(int32(done>>32), pointer(buf[n:]), length-n)
			if got <= 0 {
				break
			}
			n += uint32(got)
		}
		if int32(done>>32) == handle {
			p.answer = string(buf[:n])
			return
		}
	}
}

func lastError() string {
	buf := make([]byte, 4096)
	n := readError(pointer(buf), uint32(len(buf)))
	return string(buf[:min(int(n), len(buf))])
}

func logText(s string) {
	b := []byte(s)
	hostLog(1, pointer(b), uint32(len(b)))
	runtime.KeepAlive(b)
}

func call(name string, payload []byte) int32 {
	r := invoke(name, pointer(payload), uint32(len(payload)))
	runtime.KeepAlive(payload)
	return r
}

func pointer(b []byte) uint32 {
	if len(b) == 0 {
		return 0
	}
	return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}

func number(s string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 0, 64)
	must(err)
	return n
}

func must(err error) {
	if err != nil {
		panic(err.Error())
	}
}

var sink int

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}
