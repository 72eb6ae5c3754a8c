package manifest

import "github.com/pdpp-host/pdpp-host/abi"

// ProtocolVersion is the only supported version of the Collection Profile.
const ProtocolVersion = "0.1.0"

func readIdentity(root place, m *abi.Manifest) {
	m.ConnectorID = required(root, "connector_id", maxSentence, isConnectorID, ruleConnectorID)
	m.ConnectorKey = required(root, "connector_key", maxName, isKey, ruleKey)
	m.DisplayName = required(root, "display_name", maxLabel, anyText, "")
	m.Version = required(root, "version", maxName, isVersion, ruleVersion)
	m.ProtocolVersion = required(root, "protocol_version", maxName,
		func(s string) bool { return s == ProtocolVersion }, "must be "+ProtocolVersion)
}

func required(p place, name string, limit int, ok func(string) bool, rule string) string {
	q := p.member(name)
	if !q.require() {
		return ""
	}
	return q.matching(limit, ok, rule)
}

func anyText(string) bool { return true }
