package desk

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/read"
	"github.com/pdpp-host/pdpp-host/storage"
)

// The codes of this room.
const (
	CodeClientUnknown   abi.Code = "grants.client_unknown"
	CodeClientName      abi.Code = "grants.client_name"
	CodeClientDisplay   abi.Code = "grants.client_display"
	CodeClientsFull              = storage.CodeClientsFull
	CodeRequestUnknown           = storage.CodeRequestUnknown
	CodeRequestExpired           = storage.CodeRequestExpired
	CodeRequestDecided           = storage.CodeRequestDecided
	CodeRequestsFull             = storage.CodeRequestsFull
	CodeRequestWaited            = storage.CodeRequestWaited
	CodeRequestReviewed          = storage.CodeRequestReviewed
	CodeApproval                 = storage.CodeApprovalConflict
	CodeNobodyWaits              = storage.CodeNobodyWaits
	CodeUnknown                  = storage.CodeGrantUnknown
	CodeRedirect        abi.Code = "grants.redirect_refused"
	CodeResource        abi.Code = "grants.resource_refused"
	CodeRedeemRefused            = storage.CodeRedeemRefused
	CodeReplayed                 = storage.CodeReplayed
	CodeUserCode                 = storage.CodeUserCode
	CodeUserCodes                = storage.CodeUserCodes
	CodeUserCodeNeeded           = storage.CodeUserCodeNeeded
	CodePending         abi.Code = "grants.pending"
	CodeSlowDown        abi.Code = "grants.slow_down"
	CodePollingRefused  abi.Code = "grants.polling_refused"
	CodePollingTooQuick abi.Code = "grants.polling_too_quick"
	CodeDenied          abi.Code = "grants.denied"
	CodeTokenRefused             = read.CodeTokenUnknown
	CodeRevoked                  = read.CodeGrantRevoked
	CodeExpired                  = read.CodeGrantExpired
	CodeInvalid                  = grant.CodeInvalid
)
