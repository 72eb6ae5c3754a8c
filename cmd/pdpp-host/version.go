package main

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: takes(),
		RunE: func(*cobra.Command, []string) error {
			result := struct {
				Version string `json:"version"`
				ABI     int    `json:"abi"`
				Go      string `json:"go"`
				OS      string `json:"os"`
				Arch    string `json:"arch"`
			}{version, abi.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH}
			line := fmt.Sprintf("pdpp-host %s  ABI %d  %s %s/%s", version, abi.Version, result.Go, result.OS, result.Arch)
			return a.Printer.Result(line, result, func(w io.Writer) { fmt.Fprintln(w, line) })
		},
	}
}
