//go:build wasip1

package sdk

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/internal/link"
)

//go:wasmexport pdpp_abi_version
func exportVersion() int32 { return abi.Version }

//go:wasmexport pdpp_describe
func exportDescribe() int32 {
	if registered == nil || guest.Call(link.Manifest, []byte(registered.Manifest())) < 0 {
		return 1
	}
	return 0
}

//go:wasmexport pdpp_collect
func exportCollect() int32 {
	if registered == nil {
		return 1
	}
	return Serve(registered, guest)
}
