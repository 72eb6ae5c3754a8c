package call

import "github.com/pdpp-host/pdpp-host/abi"

// The stable codes of this package's refusals.
//
//nolint:gosec // G101 takes the word credential for one
const (
	CodeRequestInvalid        abi.Code = "send.request_invalid"
	CodeSlotInvalid           abi.Code = "send.slot_invalid"
	CodeBaseURLInvalid        abi.Code = "send.base_url_invalid"
	CodeCredentialUnknown     abi.Code = "send.credential_unknown"      // no such slot
	CodeCredentialMissing     abi.Code = "send.credential_missing"      // the owner stored none
	CodeCredentialInvalid     abi.Code = "send.credential_invalid"      // invalid in the slot's place
	CodeCredentialUnavailable abi.Code = "send.credential_unavailable"  // the store cannot read it
	CodeCredentialElsewhere   abi.Code = "send.credential_elsewhere"    // the slot does not apply to this host
	CodeCredentialConflict    abi.Code = "send.credential_conflict"     // the guest wrote the slot's own place
	CodeCredentialNotAccepted abi.Code = "send.credential_not_accepted" // the owner has to accept the slot by name
	CodeCredentialExpired     abi.Code = "send.credential_expired"      // the owner has to sign in again
	CodeRenewalRefused        abi.Code = "send.renewal_refused"
	CodeCredentialNotKept     abi.Code = "send.credential_not_kept"
	CodeBytesOutExhausted     abi.Code = "send.bytes_out_exhausted"
)
