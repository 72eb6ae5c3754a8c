// Package sdktest runs a connector in go test, natively, against a scripted
// host.
//
// Here: Collect, which does one run and checks every message as the host would
// (order, scope, keys against primary_key, required fields, counts); Options,
// which scripts the host (scope, state, folders, a provider, gaps, answers,
// refusals, a stop); Result, the outcome; Store, the records after several
// runs. Not here: the sandbox and the whole boundary; the contract suite runs a
// connector that passes here once more, as wasm.
//
//	res := sdktest.Collect(t, connector{}, sdktest.Options{
//		Roots: map[string]fs.FS{"notes": fstest.MapFS{"a.jsonl": {Data: lines}}},
//	})
//	if got := res.Records("notes"); len(got) != 2 { … }
//	again := res.SecondRun(t, nil) // same folders, the state that res committed
//	if len(again.All) != 0 { … }
//
// Every message that the real host would refuse fails the test, unless
// Options.Tolerate is set. Folders may be fstest.MapFS, os.DirFS or any fs.FS.
package sdktest
