package notify

import (
	"fmt"
	"net/http"

	"github.com/pdpp-host/pdpp-host/abi"
)

// The codes of a channel.
const (
	CodeAddressInvalid abi.Code = "notifications.address_invalid"
	CodeRefused        abi.Code = "notifications.refused"     // the service answered, and did not take it
	CodeGone           abi.Code = "notifications.gone"        // the browser has ended its subscription
	CodeUnreachable    abi.Code = "notifications.unreachable" // no answer came
)

func invalid(problem, hint string) error {
	return abi.NewError(CodeAddressInvalid, "the channel's address cannot be used: "+problem, hint)
}

// unreachable does not wrap err, whose text may quote the address.
func unreachable(host string, err error) error {
	if code := abi.CodeOf(err); code != abi.CodeInternal && code != abi.CodeInterrupted {
		return err // of the wall, which names the host alone
	}
	return abi.NewError(CodeUnreachable, fmt.Sprintf("%q does not answer", host), "it is tried again later; test the channel once it is back")
}

// answered is why an answer of a service is no success; nil if it is.
func answered(host string, status int) error {
	switch {
	case status >= http.StatusOK && status < http.StatusMultipleChoices:
		return nil
	case status == http.StatusNotFound, status == http.StatusGone:
		return abi.NewError(CodeGone, fmt.Sprintf("%q does not know the address any more", host), "remove the channel and add it again").WithDetail(fmt.Sprint("status ", status))
	}
	return abi.NewError(CodeRefused, fmt.Sprintf("%q did not take the notification", host), "check the address and what it holds; it is tried again later").
		WithDetail(fmt.Sprint("status ", status))
}
