package manifest

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

const (
	maxOptions = 64

	ruleInteger = "a whole number of at most 18 digits, as in 20"
)

// readOptions reads the options that an owner may set. It runs last, because an option
// must not share a name with a credential, and credentials are named in several
// places.
func readOptions(p place, m *abi.Manifest) {
	if !p.is(kindArray) {
		return
	}
	m.Options = []abi.Option{}
	secret, seen := SecretNames(m), map[string]bool{}
	for _, item := range p.list(maxOptions) {
		if !item.object() {
			continue
		}
		item.refuseOthers("an option", "name", "type", "default", "description")
		o := abi.Option{
			Name:        required(item, "name", maxName, isFieldName, ruleField),
			Type:        item.member("type").oneOf(abi.OptionString, abi.OptionInteger, abi.OptionBoolean),
			Description: required(item, "description", maxSentence, anyText, ""),
		}
		item.member("type").require()
		switch {
		case seen[o.Name]:
			item.member("name").fail("must not be given twice")
		case secret[o.Name]:
			item.member("name").fail("must not be a credential's: options are kept as they are")
		}
		seen[o.Name] = true
		o.Default = readDefault(item.member("default"), &o)
		m.Options = append(m.Options, o)
	}
}

func readDefault(p place, o *abi.Option) abi.Raw {
	if !p.present() {
		return nil
	}
	if o.Name == abi.OptionBaseURL { // the owner's choice alone
		p.fail("must not be given: another address is the owner's choice")
		return nil
	}
	switch o.Type {
	case abi.OptionString:
		if raw, err := json.Marshal(p.text(maxSentence)); err == nil {
			return raw
		}
	case abi.OptionInteger:
		if p.is(kindNumber) && isInteger(p.n.text) {
			return abi.Raw(p.n.text)
		}
		if p.n.kind == kindNumber {
			p.fail("must be " + ruleInteger)
		}
	case abi.OptionBoolean:
		if p.is(kindBool) {
			return strconv.AppendBool(nil, p.n.truth)
		}
	}
	return nil
}

// isInteger accepts the one spelling of a whole number that JSON, and every language,
// reads exactly.
func isInteger(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	return len(digits) <= 18 && every(digits, digit) && canonical(digits) && text != "-0"
}

// CheckOptions checks options against those that a valid manifest declares. It returns
// an *abi.Error for the first one, by name, that is not declared or has a value of
// another type. An empty value counts as not set. A manifest without the member
// options accepts every name except a misspelt base_url, with which the connector
// would query its real provider. The error repeats no value, since the owner may have
// typed a secret.
func CheckOptions(m *abi.Manifest, set map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(set)) {
		i := slices.IndexFunc(m.Options, func(o abi.Option) bool { return o.Name == name })
		switch {
		case set[name] == "", name == abi.OptionBaseURL && m.Options == nil:
		case m.Options == nil:
			if abi.Nearest(name, []string{abi.OptionBaseURL}) != "" {
				return abi.NewError(abi.CodeUsage, "the option "+quote(name)+" is unknown to the host", "did you mean --set base_url=URL?")
			}
		case i < 0:
			return abi.NewError(abi.CodeUsage, "the connector has no option "+quote(name), hasOptions(name, m.Options))
		default:
			if rule := typeRule(m.Options[i].Type, set[name]); rule != "" {
				return abi.NewError(abi.CodeUsage, "the value of the option "+name+" has the wrong type", "it must be "+rule)
			}
		}
	}
	return nil
}

// typeRule returns the rule for values of the type, or "" if text satisfies it.
func typeRule(typ, text string) string {
	switch {
	case typ == abi.OptionInteger && !isInteger(text):
		return ruleInteger
	case typ == abi.OptionBoolean && text != "true" && text != "false":
		return "true or false"
	}
	return ""
}

func hasOptions(name string, options []abi.Option) string {
	var known []string
	for _, o := range options {
		known = append(known, o.Name)
	}
	if nearest := abi.Nearest(name, known); nearest != "" {
		return "did you mean --set " + nearest + "=VALUE?"
	}
	if len(known) == 0 {
		return "it has none: leave --set out"
	}
	return "it has: " + strings.Join(known, ", ")
}

// WithDefaults returns the options for a run of the connector: those that are set, and
// the defaults of the others.
func WithDefaults(m *abi.Manifest, set map[string]string) map[string]string {
	all := maps.Clone(set)
	for _, o := range m.Options {
		if text := DefaultText(o); text != "" && set[o.Name] == "" {
			if all == nil {
				all = map[string]string{}
			}
			all[o.Name] = text
		}
	}
	return all
}

// DefaultText returns an option's default as START carries it; "" if there is none.
func DefaultText(o abi.Option) string {
	var text string
	if json.Unmarshal(o.Default, &text) == nil {
		return text
	}
	return string(o.Default)
}
