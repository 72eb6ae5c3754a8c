package profile

import "github.com/pdpp-host/pdpp-host/abi"

// Why there is no profile to work with.
const (
	CodeMissing   abi.Code = "profile.missing"
	CodeAmbiguous abi.Code = "profile.ambiguous"
	CodeInvalid   abi.Code = "profile.invalid"
	CodeOpen      abi.Code = "profile.readable_by_others"
	CodeUnusable  abi.Code = "profile.unusable" // its folder or file cannot be read or written
	CodeAddress   abi.Code = "delivery.address_refused"
)
