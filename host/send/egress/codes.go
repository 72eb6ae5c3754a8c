package egress

import "github.com/pdpp-host/pdpp-host/abi"

// The stable codes of this package's refusals.
const (
	CodeHostRefused     abi.Code = "egress.host_refused"
	CodeSchemeRefused   abi.Code = "egress.scheme_refused"
	CodeAddressRefused  abi.Code = "egress.address_refused"
	CodeHeaderReserved  abi.Code = "egress.header_reserved"
	CodeHeaderInvalid   abi.Code = "egress.header_invalid"
	CodeTooLarge        abi.Code = "egress.response_too_large"
	CodeEncodingRefused abi.Code = "egress.encoding_refused"
	CodeUpgradeRefused  abi.Code = "egress.upgrade_refused"
	CodePolicyInvalid   abi.Code = "egress.policy_invalid"
	CodeDocumentRefused abi.Code = "egress.document_refused"
)
