package call

import "github.com/pdpp-host/pdpp-host/abi"

// The stable codes of what this package refuses.
//
//nolint:gosec // G101 takes the word credential for one
const (
	CodeRequestInvalid        abi.Code = "send.request_invalid"
	CodeSlotInvalid           abi.Code = "send.slot_invalid"
	CodeBaseURLInvalid        abi.Code = "send.base_url_invalid"
	CodeCredentialUnknown     abi.Code = "send.credential_unknown"      // no such slot
	CodeCredentialMissing     abi.Code = "send.credential_missing"      // the owner gave none
	CodeCredentialInvalid     abi.Code = "send.credential_invalid"      // it cannot stand where the slot puts it
	CodeCredentialUnavailable abi.Code = "send.credential_unavailable"  // it cannot be read
	CodeCredentialElsewhere   abi.Code = "send.credential_elsewhere"    // the slot is not for this host
	CodeCredentialConflict    abi.Code = "send.credential_conflict"     // the guest wrote what the slot writes
	CodeCredentialNotAccepted abi.Code = "send.credential_not_accepted" // of a slot that the owner accepts by name
	CodeCredentialExpired     abi.Code = "send.credential_expired"      // the owner has to sign in again
	CodeRenewalRefused        abi.Code = "send.renewal_refused"
	CodeCredentialNotKept     abi.Code = "send.credential_not_kept"
	CodeBytesOutExhausted     abi.Code = "send.bytes_out_exhausted"
)
