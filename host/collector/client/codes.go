package client

import "github.com/pdpp-host/pdpp-host/abi"

// The codes of requests that the host did not take.
const (
	CodeUnauthorized abi.Code = "delivery.unauthorized" // 401, 403: the credential is dead
	CodeGone         abi.Code = "delivery.gone"         // 404, 410: the host knows no such lane
	CodeProtocol     abi.Code = "delivery.protocol"     // the host speaks another version
	CodeUnreachable  abi.Code = "delivery.unreachable"  // transient
	CodePaused       abi.Code = "delivery.paused"       // the host wants to be left alone for a while
	CodeRefused      abi.Code = "delivery.refused"      // permanent
	CodeAnswer       abi.Code = "delivery.answer"       // an answer that cannot be believed

	CodeCode abi.Code = "enrollment.code_refused"
)
