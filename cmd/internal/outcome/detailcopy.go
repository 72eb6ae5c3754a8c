package outcome

import "github.com/pdpp-host/pdpp-host/abi"

// DetailCopy says to an owner why a detail is still to be fetched. Only the
// reasons of source pressure speak of the service being busy (RT-18).
func DetailCopy(reason, class string) string {
	if abi.Reason(class).Has(abi.RunCap) {
		return "your own per-run budget was reached: this batch is saved, and the next run continues"
	}
	if abi.Reason(class) == abi.ReasonKeepsFailing {
		return "it fails whenever it is asked for; it is tried again, ever more seldom"
	}
	if abi.Reason(class) == abi.ReasonGone {
		return "the provider refused it in two runs; no run asks for it again by itself"
	}
	switch abi.Reason(reason) {
	case abi.ReasonRateLimited:
		return "the service asked for fewer requests"
	case abi.ReasonUpstreamPressure:
		return "the service is busy"
	case abi.ReasonRetryExhausted:
		return "the run's retry budget was used up; a later run tries again"
	case abi.ReasonTemporaryUnavailable:
		return "it could not be fetched this time; a later run tries again"
	default:
		return reason
	}
}

// WhatOf says what becomes of the details of a class.
func WhatOf(class string) string {
	if abi.Reason(class) == abi.ReasonGone {
		return "gone or forbidden at the provider"
	}
	return "still to fetch"
}
