//go:build wasip1

package main

import (
	_ "embed"
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/testplugins/firehose"
)

//go:embed manifest.json
var manifest string

type connector struct{}

// Manifest implements sdk.Connector.
func (connector) Manifest() string { return manifest }

// Collect implements sdk.Connector. Round r of an enumerated list lacks each hundredth record
// of those that round 0 has, and has another title in the next one.
func (connector) Collect(h *sdk.Host) error {
	n, err := strconv.Atoi(h.Option("records"))
	round, err2 := strconv.Atoi(h.Option("round"))
	if err != nil || err2 != nil {
		return &sdk.Failure{Code: "firehose_bad_option", Message: "the option records or round is not a number"}
	}
	whole := func() error { return nil }
	if h.Option("enumerated") == "true" {
		e, err := h.Enumerate("records", "", "")
		if err != nil {
			return err
		}
		whole = func() error {
			if err := e.Whole(); err != nil {
				return err
			}
			return h.State("records", []byte(`{"round":`+strconv.Itoa(round)+`}`))
		}
	}
	for i := range n {
		if h.Stopping() {
			return sdk.ErrStopped
		}
		var key, data []byte
		switch {
		case round > 0 && i%100 == 0:
			continue
		case round > 0 && i%100 == 1:
			key, data = firehose.Changed(i, round)
		default:
			key, data = firehose.Record(i)
		}
		if err := h.EmitRaw("records", string(key), data); err != nil {
			return err
		}
	}
	return whole()
}

func init() { sdk.Run(connector{}) }

func main() {}
