package boundary

import "github.com/pdpp-host/pdpp-host/abi"

// Interaction reads one INTERACTION. A timeout must be positive, in seconds; the
// schema is stored as an object.
func (g *Gate) Interaction(p []byte) (*abi.Interaction, error) {
	m, err := openMessage(p, abi.MaxMessageBytes, abi.CodeInteractionInvalid, abi.TypeInteraction)
	if err != nil {
		return nil, err
	}
	in := &abi.Interaction{Type: m.typ}
	err = m.read(false,
		field{"request_id", true, m.word(&in.RequestID)},
		field{"kind", true, m.oneOf(&in.Kind, abi.InteractionCredentials, abi.InteractionOTP,
			abi.InteractionManualAction, abi.InteractionMissingCredentials)}, // the last: RT-08.1
		field{"message", true, m.word(&in.Message)},
		field{"schema", false, m.rawObject(&in.Schema)},
		field{"timeout_seconds", false, m.positive(&in.TimeoutSeconds)},
		field{"stream", false, m.word(&in.Stream)},
	)
	if err == nil {
		err = g.declared(m, in.Stream)
	}
	if err != nil {
		return nil, err
	}
	return in, nil
}
