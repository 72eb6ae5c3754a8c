package plugin_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// printer is a Host that answers START and prints what the guest hands over.
type printer struct{}

func (printer) Emit(payload []byte) error {
	fmt.Println("emit:", bytes.Count(payload, []byte("\n")), "records")
	return nil
}

func (printer) Message(call string, payload []byte) error {
	fmt.Printf("%s: %s\n", call, payload)
	return nil
}

func (printer) Log(int32, []byte) {}

func (printer) Submit(op abi.Operation, _ []byte, reply func([]byte)) error {
	if op != abi.OpStart {
		return abi.NewError(abi.CodeBindingNotGranted, "this run grants nothing", "")
	}
	reply([]byte(`{"type":"START","run_id":"run_1","collection_mode":"incremental","state":null,"scope":{"streams":[{"name":"greetings"}]}}`))
	return nil
}

// A module becomes a guest in a worker process, says what it is, and collects. A
// program that embeds the engine calls WorkerMain when it is started with
// WorkerArgument.
func ExampleEngine() {
	ctx := context.Background()
	engine, err := plugin.NewEngine(plugin.Options{})
	if err != nil {
		panic(err)
	}
	defer func() { _ = engine.Close() }()

	file, err := plugin.Open("../../testplugins/assemblyscript/raw.wasm", 1<<20)
	if err != nil {
		panic(err)
	}
	guest, err := engine.Load(ctx, file)
	if err != nil {
		panic(err)
	}
	manifest, err := guest.Describe(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println("describes itself:", bytes.Contains(manifest, []byte(`"connector_key": "assemblyscript_raw"`)))

	exit := guest.Collect(ctx, plugin.Grant{}, printer{})
	fmt.Println("returned:", exit.Returned, exit.Code, exit.Err)
	// Output:
	// describes itself: true
	// emit: 3 records
	// state: {"type":"STATE","stream":"greetings","cursor":{"last":"3"}}
	// done: {"type":"DONE","status":"succeeded","records_emitted":3}
	// returned: true 0 <nil>
}
