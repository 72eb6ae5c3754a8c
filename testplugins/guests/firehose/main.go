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

// Collect implements sdk.Connector.
func (connector) Collect(h *sdk.Host) error {
	n, err := strconv.Atoi(h.Option("records"))
	if err != nil {
		return &sdk.Failure{Code: "firehose_bad_option", Message: "the option records is not a number"}
	}
	for i := range n {
		if h.Stopping() {
			return sdk.ErrStopped
		}
		key, data := firehose.Record(i)
		if err := h.EmitRaw("records", string(key), data); err != nil {
			return err
		}
	}
	return nil
}

func init() { sdk.Run(connector{}) }

func main() {}
