package client

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

// Remedy says what ends a refusal of a class of the outbox, http_422:device_records_rejected, where the host has refused
// for good what is sent as it is. It is empty for any other class: nothing is to be put right then.
func Remedy(class string) string {
	word, code, _ := strings.Cut(class, ":")
	if !strings.HasPrefix(word, "http_4") || code == "" {
		return ""
	}
	switch code {
	case CodeNoArtifacts, device.CodeBlobQuota, device.CodeRetryable, device.CodeTooManyAttempts:
		return ""
	case device.CodeRecordsRejected:
		return "install one version of the connector, and of the programs, on both sides"
	case device.CodeManifestMissing:
		return "run it again, which says first what the connector collects; if that changes nothing, install the collector that belongs to the host's version"
	case device.CodeManifestNotAccepted:
		return "look at the streams that the connector adds, and accept them on the host: pdpp-host devices accept"
	}
	return "install the collector that belongs to the host's version"
}
