package replay_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/replay"
)

// starter is a Host that answers START and keeps nothing.
type starter struct{}

func (starter) Emit([]byte) error            { return nil }
func (starter) Message(string, []byte) error { return nil }
func (starter) Log(int32, []byte)            {}
func (starter) Submit(_ abi.Operation, _ []byte, reply func([]byte)) error {
	reply([]byte(`{"type":"START","run_id":"run_1","collection_mode":"incremental","state":null,"scope":{"streams":[{"name":"greetings"}]}}`))
	return nil
}

// A run is recorded between the guest and its host, and played again with the recording
// in the place of the host. The second guest does the same, call by call.
func Example() {
	ctx := context.Background()
	engine, err := plugin.NewEngine(plugin.Options{})
	if err != nil {
		panic(err)
	}
	defer func() { _ = engine.Close() }()
	load := func() *plugin.Guest {
		file, err := plugin.Open("../../testplugins/assemblyscript/raw.wasm", 1<<20)
		if err != nil {
			panic(err)
		}
		guest, err := engine.Load(ctx, file)
		if err != nil {
			panic(err)
		}
		return guest
	}
	dir, err := os.MkdirTemp("", "replay-example-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "run.jsonl")

	recorder, err := replay.Create(path, replay.Options{Mode: abi.ModeIncremental, Start: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)})
	if err != nil {
		panic(err)
	}
	exit := recorder.Collect(ctx, load(), plugin.Grant{}, starter{})
	fmt.Println("recorded:", exit.Returned, recorder.Close())

	tape, err := replay.Open(path, 0)
	if err != nil {
		panic(err)
	}
	defer func() { _ = tape.Close() }()
	report, err := replay.Play(ctx, tape, load())
	if err != nil {
		panic(err)
	}
	fmt.Println("played:", report.Connector, report.Calls, "calls, identical:", report.Identical)
	// Output:
	// recorded: true <nil>
	// played: assemblyscript_raw 4 calls, identical: true
}
