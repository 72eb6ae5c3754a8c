package manifest

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
)

const (
	maxLocalPaths = 32
	maxIgnores    = 128
	maxRules      = 64
)

// readLocalPaths reads the folders that the connector needs. They become read-only
// mounts, so a path must not leave the folder that it is joined to, or name the user's
// home as a whole.
func readLocalPaths(p place, m *abi.Manifest) {
	if !p.object() {
		return
	}
	if declared, _ := m.Declares(abi.BindingFilesystem); !declared {
		p.fail("needs the " + abi.BindingFilesystem + " binding")
	}
	l := &abi.LocalPaths{
		HomeEnvOverride: ownVariable(p.member("home_env_override"), m),
		HomeDefault:     relativePath(p.member("home_default_relative_to_user_home")),
	}
	roots := map[string]bool{m.ConnectorKey: true}
	for _, item := range p.member("paths").list(maxLocalPaths) {
		if !item.object() {
			continue
		}
		entry := readLocalPath(item, m)
		l.Paths = append(l.Paths, entry)
		// Only a path with its own override is ever mounted separately.
		if entry.EnvOverride == "" && entry.Name == "" {
			continue
		}
		switch name := entry.RootName(); {
		case name == "" && entry.Label == "": // already reported
		case !isIdentifier(name) || len(name) > maxName:
			item.fail("needs a name of lower-case letters, digits and underscores, or a label that yields one")
		case roots[name] && entry.Name == "": // host/files names it by its position in the list
		case roots[name]:
			item.member("name").fail("is a second root named " + name)
		default:
			roots[name] = true
		}
	}
	for _, item := range p.member("ignores").list(maxIgnores) {
		if item.object() {
			l.Ignores = append(l.Ignores, readIgnore(item))
		}
	}
	for _, item := range p.member("rules").list(maxRules) {
		if item.object() {
			l.Rules = append(l.Rules, readRule(item, l.Rules))
		}
	}
	m.Requirements.LocalPaths = l
}

// readRule reads a rule that an ACCOUNT names; before are those in front of it.
func readRule(p place, before []abi.FilesRule) abi.FilesRule {
	r := abi.FilesRule{
		Name: required(p, "name", maxName, isIdentifier, ruleIdentifier), Reason: required(p, "reason", maxSentence, anyText, ""),
		Beginning: p.member("beginning").boolean(),
	}
	if slices.ContainsFunc(before, func(b abi.FilesRule) bool { return b.Name == r.Name }) {
		p.member("name").fail("is the name of a rule before it")
	}
	return r
}

// readIgnore reads a rule by which files are not for the connector (AC-02).
func readIgnore(p place) abi.Ignore {
	return abi.Ignore{
		Pattern: required(p, "pattern", maxSentence, IsPattern, RulePattern), Reason: required(p, "reason", maxSentence, anyText, ""),
	}
}

func readLocalPath(p place, m *abi.Manifest) abi.LocalPath {
	if !p.member("default_relative_to_home").present() && !p.member("env_override").present() {
		p.fail("needs default_relative_to_home or env_override")
	}
	label := p.member("label")
	label.require()
	return abi.LocalPath{
		Name:                 p.member("name").matching(maxName, isIdentifier, ruleIdentifier),
		Label:                label.text(maxLabel),
		DefaultRelative:      relativePath(p.member("default_relative_to_home")),
		EnvOverride:          ownVariable(p.member("env_override"), m),
		RequiredForReadiness: p.member("required_for_readiness").boolean(),
	}
}

// ownVariable reads a variable that names a folder. Another program's variable would
// lead to that program's folder.
func ownVariable(p place, m *abi.Manifest) string {
	name := envName(p)
	if name != "" && m.ConnectorKey != "" && !OwnVariable(m.ConnectorKey, name) {
		p.fail("must begin with the connector's key, as in " + variablePrefix(m.ConnectorKey) + "HOME")
	}
	return name
}

func relativePath(p place) string { return p.matching(maxSentence, isRelativePath, rulePath) }
