//go:build wasip1

package main

import (
	cryptorand "crypto/rand"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

//go:embed manifest.json
var manifest string

func main() {}

//go:wasmexport pdpp_abi_version
func abiVersion() int32 { return 1 }

//go:wasmexport pdpp_describe
func describe() int32 { return hostManifest(ptr(manifest)) }

// The operations that it uses.
const (
	opStart    = 1
	opHTTP     = 2
	opInteract = 3
	opGaps     = 4
	opNow      = 6
)

// moods is read in the order of a map, which is random.
var moods = map[string]int{"calm": 1, "cross": 2, "glad": 3, "grim": 4, "keen": 5, "sad": 6, "shy": 7, "wry": 8}

type run struct {
	began    time.Time
	timeouts int
	emitted  int
}

//go:wasmexport pdpp_collect
func collect() int32 {
	r := &run{began: time.Now()}
	var start struct {
		Options map[string]string `json:"options"`
	}
	if err := json.Unmarshal([]byte(r.ask(opStart, "")), &start); err != nil {
		panic(err.Error())
	}
	r.emit("now", r.ask(opNow, ""))
	r.emit("gaps", r.ask(opGaps, ""))
	base := start.Options["base_url"]
	if base == "" {
		base = "https://api.example.com"
	}
	r.fetch(start.Options["requests"], base, start.Options["slot"])
	if _, ok := start.Options["ask"]; ok {
		r.emit("answer", r.ask(opInteract, `{"type":"INTERACTION","request_id":"q1","kind":"otp","message":"the code?"}`))
	}
	if token, ok := start.Options["token"]; ok {
		r.emit("token", token)
	}
	pause, err := time.ParseDuration(start.Options["sleep"])
	if err != nil {
		pause = 3 * time.Millisecond
	}
	time.Sleep(pause)
	for mark := time.Now(); time.Since(mark) < time.Millisecond; {
		continue // by looking at the clock alone
	}
	r.emit("select", choose())
	hostState(ptr(`{"type":"STATE","stream":"moods","cursor":{"at":"` + time.Now().UTC().Format(time.RFC3339Nano) + `"}}`))
	println("on standard error")
	if _, ok := start.Options["trap"]; ok {
		panic("asked to trap")
	}
	hostDone(ptr(`{"type":"DONE","status":"succeeded","records_emitted":` + strconv.Itoa(r.emitted) + `}`))
	return 0
}

// ask makes one request and waits for its answer, or returns its refusal.
func (r *run) ask(op int32, request string) string {
	if submit(op, request) < 0 {
		return lastError()
	}
	_, answer := await(&r.timeouts)
	return answer
}

// fetch makes several requests at once and takes the answers as they come.
func (r *run) fetch(count, base, slot string) {
	n, err := strconv.Atoi(count)
	if err != nil {
		n = 3
	}
	open := 0
	for i := range n {
		nonce := make([]byte, 4)
		_, _ = cryptorand.Read(nonce)
		head := `{"url":"` + base + `/moods/` + strconv.Itoa(i) + `?nonce=` + hex.EncodeToString(nonce) + `","credential":"` + slot + `"}`
		if submit(opHTTP, head+"\n") < 0 {
			r.emit("refused", lastError())
			continue
		}
		open++
	}
	for range open {
		handle, answer := await(&r.timeouts)
		r.emit("fetched "+strconv.Itoa(int(handle)), answer)
	}
}

// choose picks among channels that are all ready, a few times.
func choose() string {
	var b strings.Builder
	for range 8 {
		left, right := make(chan string, 1), make(chan string, 1)
		go func() { left <- "l" }()
		go func() { right <- "r" }()
		time.Sleep(time.Microsecond)
		select {
		case s := <-left:
			b.WriteString(s)
		case s := <-right:
			b.WriteString(s)
		}
	}
	return b.String()
}

func (r *run) emit(id, text string) {
	var order []string
	for mood := range moods {
		order = append(order, mood)
	}
	data, err := json.Marshal(map[string]any{
		"id": id, "text": text, "moods": strings.Join(order, " "), "dice": rand.Uint64(), "timeouts": r.timeouts, //nolint:gosec // what is asked for is a repeatable one
		"at": time.Now().UTC().Format(time.RFC3339Nano), "since": time.Since(r.began).String(),
	})
	if err != nil {
		panic(err.Error())
	}
	r.emitted++
	hostEmit(ptr(`{"type":"RECORD","stream":"moods","key":"` + id + `","data":` + string(data) +
		`,"emitted_at":"` + time.Now().UTC().Format(time.RFC3339Nano) + `"}`))
	hostProgress(ptr(`{"type":"PROGRESS","message":"` + id + `","count":` + strconv.Itoa(r.emitted) + `}`))
	logLine(id + " " + order[0])
}
