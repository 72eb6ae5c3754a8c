//go:build wasip1

package main

import (
	_ "embed"
	"encoding/hex"
	"encoding/json"
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
	b := []byte(manifest)
	return hostManifest(pointer(b), uint32(len(b)))
}

//go:wasmexport pdpp_collect
func collect() int32 {
	var start struct {
		Options map[string]string `json:"options"`
	}
	if err := json.Unmarshal(ask(1, nil), &start); err != nil {
		panic(err)
	}
	emitted := 0
	emit := func(id string, data map[string]any) {
		data["id"] = id
		tell(hostEmit, map[string]any{
			"type": "RECORD", "stream": "answers", "key": id, "data": data, "emitted_at": time.Now().UTC().Format(time.RFC3339),
		})
		emitted++
	}
	for i, path := range strings.Split(start.Options["paths"], ",") {
		head, err := json.Marshal(map[string]any{"url": start.Options["base_url"] + path, "credential": "token"})
		if err != nil {
			panic(err)
		}
		answer := ask(2, append(head, '\n'))
		emit(strconv.Itoa(i)+" "+path, map[string]any{"text": strings.ToValidUTF8(string(answer), "?"), "bytes": hex.EncodeToString(answer)})
	}
	inverted, err := hex.DecodeString(start.Options["inverted"])
	if err != nil {
		panic(err)
	}
	control := []byte(start.Options["control"])
	for i := range control {
		control[i] ^= 0xff // this copy of it is not to be found
	}
	size, secrets, controls := search(inverted, control)
	emit("memory", map[string]any{"memory": size, "secrets": secrets, "controls": controls})
	tell(hostDone, map[string]any{"type": "DONE", "status": "succeeded", "records_emitted": emitted})
	return 0
}

// search counts in all memory what two inverted texts stand for. Memory grows
// upwards, so its end is behind what is allocated last.
func search(a, b []byte) (size, foundA, foundB int) {
	last := make([]byte, 4<<20)
	size = int(pointer(last)) + len(last)
	at := func(i int, inverted []byte) bool {
		for j, c := range inverted {
			if *(*byte)(unsafe.Add(nil, i+j)) != ^c {
				return false
			}
		}
		return len(inverted) > 0
	}
	for i := 1; i < size-max(len(a), len(b)); i++ { // address 0 cannot be read by Go
		if at(i, a) {
			foundA++
		}
		if at(i, b) {
			foundB++
		}
	}
	return size, foundA, foundB
}
