package manifest

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

const maxReasonMessages = 256

// readReasonMessages reads the texts for an owner that belong to a connector's own
// codes. The generic codes have one wording, the host's, so that "the service is busy"
// cannot describe a stop that the owner asked for (RT-18). Published manifests reword
// some generic codes; those texts are checked and dropped.
func readReasonMessages(p place, m *abi.Manifest) {
	members := p.members(maxReasonMessages)
	if members == nil {
		return
	}
	m.ReasonMessages = make(map[string]string, len(members))
	for _, message := range members {
		code := message.name
		if code == "" || len(code) > maxLabel {
			message.fail("must have a code of 1 to 256 bytes")
			continue
		}
		text := message.text(maxSentence)
		if text != "" && strings.TrimSpace(text) == code {
			message.fail("must say more than the code itself")
			continue
		}
		if !slices.Contains(abi.GenericReasons, abi.Reason(code)) {
			m.ReasonMessages[code] = text
		}
	}
}
