package manifest_test

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// rule is one change of a valid manifest and the one problem that it causes; an empty
// path means none.
type rule struct {
	at    string // the changed place, or "" for several
	value any
	path  string
	words string
}

func hold(t *testing.T, base func() object, rules map[string]rule) {
	t.Helper()
	for name, r := range rules {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := set(t, base(), r.at, r.value)
			if r.path == "" {
				valid(t, m)
				return
			}
			refused(t, encode(t, m), r.path, r.words)
		})
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 65)
	hold(t, minimal, map[string]rule{
		"id absent":                {"connector_id", drop, "connector_id", "required"},
		"id a path":                {"connector_id", "/github", "connector_id", "absolute URL"},
		"id a key":                 {"connector_id", "maps-export", "", ""},
		"id a long word":           {"connector_id", long, "connector_id", "absolute URL"},
		"key with a hyphen":        {"connector_key", "maps-export", "", ""},
		"key starts with a hyphen": {"connector_key", "-maps", "connector_key", "hyphens"},
		"id with a password":       {"connector_id", "https://u:p@example.org/x", "connector_id", "absolute URL"},
		"id a number":              {"connector_id", 7, "connector_id", "must be a string, and is a number"},
		"id null":                  {"connector_id", nil, "connector_id", "and is null"},
		"key absent":               {"connector_key", drop, "connector_key", "required"},
		"key empty":                {"connector_key", "", "connector_key", "empty"},
		"key capital":              {"connector_key", "GitHub", "connector_key", "lower-case"},
		"key starts digit":         {"connector_key", "1password", "connector_key", "lower-case"},
		"key path":                 {"connector_key", "../x", "connector_key", "lower-case"},
		"key too long":             {"connector_key", long, "connector_key", "at most 64"},
		"key as long as it may":    {"connector_key", long[:64], "", ""},
		"name blank":               {"display_name", "  ", "display_name", "empty"},
		"name escape":              {"display_name", "a\x1b[2J", "display_name", "control"},
		"name C1":                  {"display_name", "a\u009b2J", "display_name", "control"},
		"name reordered":           {"display_name", "a\u202eb", "display_name", "control"},
		"name invisible":           {"display_name", "\u3164\u115f \u2800", "display_name", "seen"},
		"name of marks":            {"display_name", "a" + strings.Repeat("\u0338", 5), "display_name", "marks"},
		"name of three marks":      {"display_name", "a\u0338\u0338\u0338", "", ""},
		"name on the word before":  {"display_name", "\u0338a", "display_name", "marks"},
		"name two lines":           {"display_name", "a\nb", "display_name", "one line"},
		"name Unicode":             {"display_name", "Café 東京", "", ""},
		"version two parts":        {"version", "1.0", "version", "1.2.3"},
		"version zero-padded":      {"version", "1.02.0", "version", "1.2.3"},
		"version empty pre":        {"version", "1.0.0-", "version", "1.2.3"},
		"version padded pre":       {"version", "1.0.0-01", "version", "1.2.3"},
		"version word":             {"version", "latest", "version", "1.2.3"},
		"version full":             {"version", "10.0.0-alpha-x.1+01.sha-5", "", ""},
		"protocol other":           {"protocol_version", "0.2.0", "protocol_version", "must be 0.1.0"},
		"protocol absent":          {"protocol_version", drop, "protocol_version", "required"},
		"streams absent":           {"streams", drop, "streams", "required"},
		"streams an object":        {"streams", object{}, "streams", "must be an array"},
		"no streams":               {"streams", list{}, "", ""}, // RT-10.4
	})
}

func TestBindings(t *testing.T) {
	t.Parallel()
	const at = "runtime_requirements.bindings"
	yes := object{"required": true}
	rules := map[string]rule{
		"unknown":             {at, object{"sockets": yes}, at + ".sockets", "not a known binding"},
		"control characters":  {at, object{"\x1b": yes}, at + `["\x1b"]`, "not a known binding"},
		"namespaced":          {at, object{"example.org/radio": yes, "vendor:radio": yes}, "", ""},
		"half a namespace":    {at, object{"/radio": yes}, at + `["/radio"]`, "no namespace"},
		"required absent":     {at, object{"network": object{}}, at + ".network.required", "is required"},
		"required not a bool": {at, object{"network": object{"required": "yes"}}, at + ".network.required", "must be a boolean"},
		"not an object":       {at, object{"network": true}, at + ".network", "must be an object"},
		"bindings a list":     {at, list{}, at, "must be an object"},
		"requirements null":   {"runtime_requirements", nil, "runtime_requirements", "must be an object"},
		"one binding twice":   {at, object{"browser": yes, "browser_automation": yes}, at, "they are one binding"},
		"environment":         {"runtime_requirements.environment_variables", list{"A_B", "C1"}, "", ""},
		"environment lower":   {"runtime_requirements.environment_variables", list{"path"}, "runtime_requirements.environment_variables[0]", "capital"},
		"environment twice":   {"runtime_requirements.environment_variables", list{"A", "A"}, "runtime_requirements.environment_variables[1]", "twice"},
	}
	for _, name := range []string{
		"network", "filesystem", "interactive", "browser", "browser_automation", "local_device", "browser_profile", "loopback_listen",
	} {
		rules["known "+name] = rule{at, object{name: yes}, "", ""}
	}
	hold(t, minimal, rules)

	m := valid(t, set(t, minimal(), at, object{"browser_automation": yes}))
	if declared, required := m.Declares("browser"); !declared || !required {
		t.Errorf("browser_automation does not declare browser: %v, %v, want declared && required", declared, required)
	}
}

func TestLocalPaths(t *testing.T) {
	t.Parallel()
	const at = "runtime_requirements.local_paths"
	base := func() object {
		return set(t, minimal(), "runtime_requirements", object{
			"bindings": object{"filesystem": object{"required": true}},
			"local_paths": object{
				"home_env_override": "MINIMAL_HOME", "home_default_relative_to_user_home": ".tool",
				"paths": list{object{"label": "Log files", "default_relative_to_home": "logs/new", "env_override": "MINIMAL_LOGS"}},
			},
		})
	}
	home, entry := at+".home_default_relative_to_user_home", at+".paths[0]"
	rules := map[string]rule{
		"as it is":               {"version", "1.0.0", "", ""},
		"without the binding":    {"runtime_requirements.bindings", object{}, at, "needs the filesystem binding"},
		"another program's home": {at + ".home_env_override", "GNUPGHOME", at + ".home_env_override", "must begin with the connector's key, as in MINIMAL_HOME"},
		"another program's path": {at + ".paths.0.env_override", "AWS_CONFIG_FILE", at + ".paths[0].env_override", "must begin with the connector's key"},
		"override lower case":    {at + ".home_env_override", "home", at + ".home_env_override", "capital"},
		"override assignment":    {at + ".home_env_override", "A=B", at + ".home_env_override", "capital"},
		"label absent":           {at + ".paths.0.label", drop, entry + ".label", "required"},
		"label without words":    {at + ".paths.0.label", "東京", entry, "needs a name"},
		"label with a digit":     {at + ".paths.0.label", "2 logs", entry, "needs a name"},
		"named":                  {at + ".paths.0.name", "logs", "", ""},
		"name not a word":        {at + ".paths.0.name", "my logs", entry + ".name", "lower-case"},
		"name of the home":       {at + ".paths.0.name", "minimal", entry + ".name", "second root named minimal"},
		"neither":                {at + ".paths.0", object{"label": "x"}, entry, "needs default_relative_to_home or env_override"},
		"paths an object":        {at + ".paths", object{}, at + ".paths", "must be an array"},
	}
	for _, path := range []string{"/etc", "../x", "a/../../x", "a/..", "..", ".", "./a", "a//b", "a/", `a\b`, "C:/x", "~/x\x00"} {
		rules["home "+path] = rule{home, path, home, "must"}
		rules["entry "+path] = rule{at + ".paths.0.default_relative_to_home", path, entry + ".default_relative_to_home", "must"}
	}
	for _, path := range []string{".a", "a/b c", "..a", "a..b/c", "…"} {
		rules["home "+path] = rule{home, path, "", ""}
	}
	hold(t, base, rules)
	twice := set(t, base(), at+".paths", list{
		object{"label": "Log files", "env_override": "MINIMAL_A"}, object{"label": "log-FILES", "env_override": "MINIMAL_B"},
	})
	valid(t, twice)
	twice = set(t, twice, at+".paths.1.name", "log_files")
	refused(t, encode(t, twice), at+".paths[1].name", "second root named log_files")
}

func TestNetworkHosts(t *testing.T) {
	t.Parallel()
	const at = "runtime_requirements.network.hosts"
	base := func() object {
		return set(t, minimal(), "runtime_requirements", object{
			"bindings": object{"network": object{"required": true}},
			"network":  object{"hosts": list{object{"host": "api.example.org", "reason": "The API"}}},
		})
	}
	rules := map[string]rule{
		"without the binding": {"runtime_requirements.bindings", object{}, "runtime_requirements.network", "needs the network binding"},
		"no reason":           {at + ".0.reason", drop, at + "[0].reason", "required"},
		"blank reason":        {at + ".0.reason", " ", at + "[0].reason", "empty"},
		"no host":             {at + ".0.host", drop, at + "[0].host", "required"},
		"twice": {at, list{object{"host": "a.b", "reason": "x"}, object{"host": "a.b", "reason": "y"}},
			at + "[1].host", "twice"},
	}
	for _, host := range []string{
		"127.0.0.1", "169.254.169.254", "::1", "[::1]", "0x7f.1", "1.2.3", "10.1", "2130706433", "localhost", "*", "*.org", "*.a.org",
		"*.*.org", "a.*.org", "api.example.org:443", "https://api.example.org", "api.example.org/x", "API.example.org",
		"api.example.org.", ".example.org", "a..b", "-a.org", "a-.org", "a_b.org", "u@a.org", "é.org", "a.org\t",
		strings.Repeat("a", 64) + ".org", strings.Repeat("a.", 127) + "org",
	} {
		rules["refused "+host] = rule{at + ".0.host", host, at + "[0].host", "must"}
	}
	for _, host := range []string{"a.org", "xn--9ca.org", "1a.2b.co.uk", strings.Repeat("a", 63) + ".org"} {
		rules["accepted "+host] = rule{at + ".0.host", host, "", ""}
	}
	hold(t, base, rules)
}

func TestAuthAndSetup(t *testing.T) {
	t.Parallel()
	const capture = "setup.credential_capture"
	base := func() object {
		m := set(t, minimal(), "capabilities", object{"auth": object{"kind": "env", "required": list{"TOKEN"}}})
		return set(t, m, "setup", object{"modality": "static_secret", "credential_capture": object{
			"kind": "access_token",
			"fields": list{
				object{"name": "token", "label": "Token", "env": list{"TOKEN", "PAT"}, "required": true},
				object{"name": "user", "label": "User", "env": list{"USER_NAME"}},
			},
		}})
	}
	hold(t, base, map[string]rule{
		"auth kind absent":     {"capabilities.auth.kind", drop, "capabilities.auth.kind", "required"},
		"auth kind not a word": {"capabilities.auth.kind", "O Auth", "capabilities.auth.kind", "lower-case"},
		"auth a list":          {"capabilities.auth", list{}, "capabilities.auth", "must be an object"},
		"auth name lower case": {"capabilities.auth.required.0", "token", "capabilities.auth.required[0]", "capital"},
		"capabilities null":    {"capabilities", nil, "capabilities", "must be an object"},
		"setup a string":       {"setup", "none", "setup", "must be an object"},
		"modality a number":    {"setup.modality", 1, "setup.modality", "must be a string"},
		"kind absent":          {capture + ".kind", drop, capture + ".kind", "required"},
		"fields absent":        {capture + ".fields", drop, capture + ".fields", "required"},
		"fields empty":         {capture + ".fields", list{}, capture + ".fields", "empty"},
		"field not an object":  {capture + ".fields.0", "token", capture + ".fields[0]", "must be an object"},
		"field name absent":    {capture + ".fields.0.name", drop, capture + ".fields[0].name", "required"},
		"field name spaces":    {capture + ".fields.0.name", "my token", capture + ".fields[0].name", "must be letters"},
		"field name twice":     {capture + ".fields.0.name", "user", capture + ".fields[1].name", "twice"},
		"field label absent":   {capture + ".fields.0.label", drop, capture + ".fields[0].label", "required"},
		"env absent":           {capture + ".fields.0.env", drop, capture + ".fields[0].env", "required"},
		"env empty":            {capture + ".fields.0.env", list{}, capture + ".fields[0].env", "empty"},
		"env a string":         {capture + ".fields.0.env", "TOKEN", capture + ".fields[0].env", "must be an array"},
		"env of the host":      {capture + ".fields.1.env.0", "PDPP_STORAGE_DSN", capture + ".fields[1].env[0]", "must not begin with PDPP_"},
		"env of another":       {capture + ".fields.1.env.0", "PAT", capture + ".fields[1].env", "PAT belongs to another field"},
		"name a variable":      {capture + ".fields.1.name", "PAT", capture + ".fields[1].name", "must not be a variable of another field"},
		"variable a name":      {capture + ".fields.0.name", "USER_NAME", capture + ".fields[1].env", "USER_NAME belongs to another field"},
		"variable of no field": {"capabilities", object{"auth": object{"kind": "env", "required": list{"USER"}}}, "capabilities.auth.required", "USER must be a variable of the field user"},
		"name its own":         {capture + ".fields.1.name", "USER_NAME", "", ""},
		"required a string":    {capture + ".fields.0.required", "true", capture + ".fields[0].required", "must be a boolean"},
		"secret a number":      {capture + ".fields.0.secret", 1, capture + ".fields[0].secret", "must be a boolean"},
	})
	if f := valid(t, base()).Setup.CredentialCapture.Fields; f[0].Secret != nil {
		t.Error("an absent secret is not told from false")
	}
}

func TestReasonMessages(t *testing.T) {
	t.Parallel()
	const at = "reason_display_messages"
	hold(t, minimal, map[string]rule{
		"as it should be": {at, object{"minimal_auth_failed": "Sign in again."}, "", ""},
		"empty":           {at, object{"x_y": ""}, at + ".x_y", "empty"},
		"blank":           {at, object{"x_y": " "}, at + ".x_y", "empty"},
		"the code itself": {at, object{"x_y": " x_y "}, at + ".x_y", "more than the code"},
		"not a string":    {at, object{"x_y": 1}, at + ".x_y", "must be a string"},
		"nameless":        {at, object{"": "text"}, at + `[""]`, "1 to 256 bytes"},
		"control code":    {at, object{"x_y": "a\rb"}, at + ".x_y", "control"},
		"generic":         {at, object{"rate_limited": "Busy."}, "", ""},
		"generic itself":  {at, object{"rate_limited": "rate_limited"}, at + ".rate_limited", "more than the code"},
		"a list":          {at, list{}, at, "must be an object"},
	})
}

// A manifest's own words for a generic code are left out: the owner reads the
// host's (RT-18).
func TestGenericReasonsKeepTheHostsWords(t *testing.T) {
	t.Parallel()
	m := minimal()
	m["reason_display_messages"] = object{"rate_limited": "Busy.", "minimal_auth_failed": "Sign in again."}
	got, err := manifest.Parse(encode(t, m))
	if err != nil {
		t.Fatal(err)
	}
	if want := "Sign in again."; len(got.ReasonMessages) != 1 || got.ReasonMessages["minimal_auth_failed"] != want {
		t.Errorf("the words are %q, want minimal_auth_failed alone with %q", got.ReasonMessages, want)
	}
}

func TestErrorListsEveryProblem(t *testing.T) {
	t.Parallel()
	m := minimal()
	m["version"], m["connector_key"] = "x", drop
	delete(m, "connector_key")
	set(t, m, "streams.0.semantics", "eternal")
	_, err := manifest.Parse(encode(t, m))
	for _, want := range []string{"version: must be a version", "connector_key: is required", "streams[0].semantics: must be one of"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q, want err != nil && strings.Contains(err.Error(), want)", err, want)
		}
	}
}
