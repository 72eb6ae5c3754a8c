package main

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: syntax.Takes(),
		RunE: func(*cobra.Command, []string) error {
			result := struct {
				Version  string `json:"version"`
				ABI      int    `json:"abi"`
				Protocol string `json:"collector_protocol_version"`
				Go       string `json:"go"`
				OS       string `json:"os"`
				Arch     string `json:"arch"`
			}{version, abi.Version, device.ProtocolVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH}
			line := fmt.Sprintf("%s %s  protocol %s  ABI %d  %s %s/%s", program, version, result.Protocol, abi.Version, result.Go, result.OS, result.Arch)
			return a.Printer.Result(line, result, func(w io.Writer) { fmt.Fprintln(w, line) })
		},
	}
}
