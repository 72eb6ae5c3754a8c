package listen

import "github.com/pdpp-host/pdpp-host/abi"

// Why an address is not listened on (exit 3). They are no part of the device
// protocol: the owner who starts the server sees them.
const (
	CodeRefused      abi.Code = "serve.listen_refused" // other machines could read what is sent there
	CodeAddressInUse abi.Code = "serve.address_in_use"
	CodeFailed       abi.Code = "serve.listen_failed"
	CodeTLSInvalid   abi.Code = "serve.tls_invalid"
)
