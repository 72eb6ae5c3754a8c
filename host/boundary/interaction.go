package boundary

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

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
		field{"browser", false, m.handoff(in)},
	)
	if err == nil {
		err = g.declared(m, in.Stream)
	}
	if err == nil && in.Browser != nil && (in.Kind != abi.InteractionManualAction || in.Schema != nil) {
		err = violation(m.code, m.typ+": browser belongs to a manual_action without a schema", "see INTERACTION in the ABI reference")
	}
	if err != nil {
		return nil, err
	}
	return in, nil
}

// handoff returns a reader of the page that an interaction hands over.
func (m *message) handoff(in *abi.Interaction) func(int) string {
	return func(i int) string {
		h, done := &abi.Handoff{}, &abi.HandoffDone{}
		if rule := m.object(true,
			field{"page", false, m.count(&h.Page)},
			field{"reason", true, m.oneOf(&h.Reason, abi.HandoffLogin, abi.HandoffTwoFactor, abi.HandoffCaptcha, abi.HandoffConsent, abi.HandoffOther)},
			field{"done_when", false, func(i int) string {
				h.DoneWhen = done
				return m.object(true,
					field{"selector", false, m.word(&done.Selector)},
					field{"url_prefix", false, m.word(&done.URLPrefix)},
					field{"session", false, m.words(&done.Session)},
				)(i)
			}},
		)(i); rule != "" {
			return rule
		}
		if h.DoneWhen != nil && !oneHolds(done) {
			return "has a done_when of none or several, or one that is too long"
		}
		in.Browser = h
		return ""
	}
}

// oneHolds reports whether a condition is one, within the limits of those of wait and session.
func oneHolds(d *abi.HandoffDone) bool {
	n := 0
	for _, there := range []bool{d.Selector != "", d.URLPrefix != "", len(d.Session) > 0} {
		if there {
			n++
		}
	}
	return n == 1 && len(d.Session) <= abi.BrowserSelectors && len(d.Selector+d.URLPrefix+strings.Join(d.Session, "")) <= abi.BrowserValue
}
