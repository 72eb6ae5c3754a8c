package notify

import (
	"fmt"
	"net/http"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send/egress"
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
	code := abi.CodeOf(err)
	switch code {
	case abi.CodeInternal, abi.CodeInterrupted:
		return abi.NewError(CodeUnreachable, fmt.Sprintf("%q does not answer", host), "it is tried again later; test the channel once it is back")
	case egress.CodeSchemeRefused:
		return abi.NewError(code, fmt.Sprintf("the channel's address at %q is not https", host), "write it with https, or name its host:port under network.allow_private")
	case egress.CodeHostRefused, egress.CodeAddressRefused:
		return abi.NewError(code, fmt.Sprintf("the channel's address at %q is not a public one on port 443", host),
			"where it is a server of your own network, name its host:port under network.allow_private")
	}
	return abi.NewError(code, fmt.Sprintf("%q gave an answer that cannot be read", host), "check the channel's address; it is tried again later")
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
