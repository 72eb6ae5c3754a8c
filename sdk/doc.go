// Package sdk is the library for authors of connectors.
//
// A connector is a value with a manifest and a Collect method. Its package
// main hands it to Run from an init function and has an empty main:
//
//	//go:embed manifest.json
//	var manifest string
//
//	type connector struct{}
//
//	func (connector) Manifest() string { return manifest }
//
//	func (connector) Collect(h *sdk.Host) error {
//		r := h.Record("notes")
//		for … {
//			if h.Stopping() {
//				return sdk.ErrStopped
//			}
//			r.Copy("id", note.Get("id"))
//			r.Copy("text", note.Get("text"))
//			if err := r.Emit(); err != nil {
//				return err
//			}
//		}
//		return h.State("notes", cursor)
//	}
//
//	func init() { sdk.Run(connector{}) }
//	func main() {}
//
// Build it with GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared, or with
// TinyGo. The three exports of the ABI live here (export_wasip1.go).
//
// Here: the host calls, START, records (checked against the stream's schema, see
// Record.Copy) and their filters, batching, checkpoints, enumerations (Enumeration),
// requests to the provider (Fetch, FetchMany), detail lanes (Details), streams that fail while others go on (FailedStreams), credentials
// and their owner (Account), the granted folders. Below:
// api (ask a provider, list by list), cursor (typed cursors), problems (count what was not
// collected and say it once), jsonappend (write JSON), jsonvalue (read JSON), jsonraw (read
// JSON of which most is not wanted), jsonstream (read JSON of any length), csv, mbox,
// contentline (lines of iCalendar and vCard), charset (text in other encodings), timezone (zones by their names),
// files (folders, and the records of what is in
// them), filecursor (files that grow), archive (zip and tar.gz), zstd (Zstandard), markup (HTML and XML, for
// standard Go alone), sqlitefile, clip (shorten text), sdktest (run a connector in go test).
// Not here: anything that needs its own
// clock, socket or file; the host performs all effects. In: START and the
// granted folders. Out: messages of package abi, already filtered by scope.
//
// Everything runs on one goroutine. The package uses only features that TinyGo
// supports without a scheduler: no goroutines, no reflection, no recover (a
// panic traps and the run fails), shallow stacks.
package sdk
