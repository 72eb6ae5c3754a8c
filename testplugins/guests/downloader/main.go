//go:build wasip1

package main

import (
	_ "embed"
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk"
)

//go:embed manifest.json
var manifest string

type connector struct{}

// Manifest implements sdk.Connector.
func (connector) Manifest() string { return manifest }

// Collect implements sdk.Connector.
func (connector) Collect(h *sdk.Host) error {
	left, bytes := number(h.Option("n")), int64(0)
	request := sdk.Request{URL: h.Option("base_url") + "/items"}
	next := func() (sdk.Request, bool) {
		left--
		return request, left >= 0
	}
	each := func(_ sdk.Request, resp *sdk.Response, err error) error {
		if err != nil {
			return err
		}
		bytes += int64(len(resp.Body))
		return h.CheckStatus(resp)
	}
	if err := h.FetchMany(max(1, number(h.Option("window"))), next, each); err != nil {
		return err
	}
	r := h.Record("answers")
	r.String("id", "all")
	r.Int("bytes", bytes)
	return r.Emit()
}

func number(text string) int {
	n, _ := strconv.Atoi(text) // what is no number asks for nothing
	return n
}

func init() { sdk.Run(connector{}) }

func main() {}
