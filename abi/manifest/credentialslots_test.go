package manifest_test

import "testing"

// A manifest may send a secret only to a declared host and from a declared field,
// which the owner has read.
func TestCredentialSlots(t *testing.T) {
	t.Parallel()
	const network = "runtime_requirements.network"
	const at, slot = network + ".credentials", network + ".credentials[0]"
	base := func() object {
		m := set(t, minimal(), "runtime_requirements", object{
			"bindings": object{"network": object{"required": true}},
			"network": object{
				"hosts": list{object{"host": "api.example.org", "reason": "The API"}, object{"host": "login.example.org", "reason": "Login"}},
				"credentials": list{object{
					"name": "api", "hosts": list{"api.example.org"}, "in": "header", "key": "Authorization", "as": "bearer", "field": "token",
				}},
			},
		})
		set(t, m, "capabilities", object{"auth": object{"kind": "env", "required": list{"PASSPHRASE"}}})
		return set(t, m, "setup", object{"credential_capture": object{"kind": "access_token", "fields": list{
			object{"name": "token", "label": "Token", "env": list{"TOKEN"}, "required": true},
			object{"name": "user", "label": "User", "env": list{"USER_NAME"}},
		}}})
	}
	oauth := object{"token_url": "https://login.example.org/token", "refresh_field": "refresh", "client_id_field": "user"}
	with := func(more object) list {
		s := object{"name": "api", "hosts": list{"api.example.org"}, "in": "header", "key": "Authorization", "field": "token"}
		for name, value := range more {
			if s[name] = value; value == drop {
				delete(s, name)
			}
		}
		return list{s}
	}
	rules := map[string]rule{
		"as it is":                {"version", "1.0.0", "", ""},
		"no list":                 {at, object{}, at, "must be an array"},
		"no object":               {at, list{"token"}, slot, "must be an object"},
		"no name":                 {at, with(object{"name": drop}), slot + ".name", "required"},
		"name":                    {at, with(object{"name": "My API"}), slot + ".name", "lower-case"},
		"name twice":              {at, append(with(nil), with(nil)...), at + "[1].name", "twice"},
		"no hosts":                {at, with(object{"hosts": drop}), slot + ".hosts", "required"},
		"empty hosts":             {at, with(object{"hosts": list{}}), slot + ".hosts", "empty"},
		"host undeclared":         {at, with(object{"hosts": list{"api.example.org", "evil.example.org"}}), slot + ".hosts[1]", "must be one of"},
		"host below another":      {at, with(object{"hosts": list{"a.auth.example.org"}}), slot + ".hosts[0]", "must be one of"},
		"host a wildcard":         {at, with(object{"hosts": list{"*.auth.example.org"}}), slot + ".hosts[0]", "no wildcard"},
		"host with a port":        {at, with(object{"hosts": list{"api.example.org:8443"}}), slot + ".hosts[0]", "host name"},
		"no place":                {at, with(object{"in": drop}), slot + ".in", "required"},
		"cookie":                  {at, with(object{"in": "cookie"}), slot + ".in", "one of header, query, body"},
		"no key":                  {at, with(object{"key": drop}), slot + ".key", "required"},
		"key with a line":         {at, with(object{"key": "A\r\nB"}), slot + ".key", "must"},
		"key with a colon":        {at, with(object{"key": "A: b"}), slot + ".key", "letters"},
		"header Host":             {at, with(object{"key": "Host"}), slot + ".key", "not one that the host writes"},
		"header Content-Length":   {at, with(object{"key": "content-length"}), slot + ".key", "not one that the host writes"},
		"header Proxy":            {at, with(object{"key": "Proxy-Authorization"}), slot + ".key", "not one that the host writes"},
		"header Cookie":           {at, with(object{"key": "Cookie"}), slot + ".key", "not one that the host writes"},
		"header with brackets":    {at, with(object{"key": "a[b]"}), slot + ".key", "name of a header"},
		"own header":              {at, with(object{"key": "X-Api-Key"}), "", ""},
		"query":                   {at, with(object{"in": "query", "key": "auth[key]"}), "", ""},
		"body named host":         {at, with(object{"in": "body", "key": "host"}), "", ""},
		"as":                      {at, with(object{"as": "digest"}), slot + ".as", "one of raw, bearer, basic"},
		"bearer in a query":       {at, with(object{"in": "query", "as": "bearer"}), slot + ".as", "must be raw"},
		"basic in a body":         {at, with(object{"in": "body", "as": "basic", "user_field": "user"}), slot + ".as", "must be raw"},
		"basic":                   {at, with(object{"as": "basic", "user_field": "user"}), "", ""},
		"basic without a user":    {at, with(object{"as": "basic"}), slot + ".user_field", "required"},
		"user without basic":      {at, with(object{"user_field": "user"}), slot + ".user_field", "basic alone"},
		"user unknown":            {at, with(object{"as": "basic", "user_field": "nobody"}), slot + ".user_field", "must be a field of"},
		"format":                  {at, with(object{"as": "raw", "format": `Notes key="{}"`}), "", ""},
		"format without a place":  {at, with(object{"as": "raw", "format": "Notes key"}), slot + ".format", "{} once"},
		"format of two places":    {at, with(object{"as": "raw", "format": "{} {}"}), slot + ".format", "{} once"},
		"format of two lines":     {at, with(object{"as": "raw", "format": "{}\r\nHost: x"}), slot + ".format", "control characters"},
		"format of a bearer":      {at, with(object{"as": "bearer", "format": "{}"}), slot + ".format", "raw in a header"},
		"format in a query":       {at, with(object{"in": "query", "as": "raw", "format": "{}"}), slot + ".format", "raw in a header"},
		"no field":                {at, with(object{"field": drop}), slot + ".field", "required"},
		"field unknown":           {at, with(object{"field": "tokne"}), slot + ".field", "must be a field of"},
		"field of another name":   {at, with(object{"field": "TOKEN"}), slot + ".field", "must be a field of"},
		"field of auth":           {at, with(object{"field": "PASSPHRASE"}), "", ""},
		"oauth":                   {at, with(object{"field": "access", "oauth2": oauth}), "", ""},
		"oauth no object":         {at, with(object{"oauth2": true}), slot + ".oauth2", "must be an object"},
		"oauth basic":             {at, with(object{"as": "basic", "user_field": "user", "oauth2": oauth}), slot + ".oauth2", "basic"},
		"oauth one field":         {at, with(object{"field": "refresh", "oauth2": oauth}), slot + ".oauth2.refresh_field", "access token"},
		"provider":                {network + ".provider", object{"min_interval_ms": 500}, "", ""},
		"provider no object":      {network + ".provider", list{}, network + ".provider", "must be an object"},
		"provider null":           {network + ".provider", nil, network + ".provider", "must be an object"},
		"pacing stream":           {network + ".pacing_stream", "notes", "", ""},
		"pacing stream unknown":   {network + ".pacing_stream", "rates", network + ".pacing_stream", "one of the streams"},
		"pacing stream no name":   {network + ".pacing_stream", 7, network + ".pacing_stream", "must be a string"},
		"credentials, no binding": {"runtime_requirements.bindings", object{}, network, "needs the network binding"},
	}
	change := func(name string, value any) list {
		o := object{}
		for k, v := range oauth {
			o[k] = v
		}
		if o[name] = value; value == drop {
			delete(o, name)
		}
		return with(object{"field": "access", "oauth2": o})
	}
	for _, name := range []string{"token_url", "refresh_field", "client_id_field"} {
		rules["oauth without "+name] = rule{at, change(name, drop), slot + ".oauth2." + name, "required"}
	}
	rules["oauth client unknown"] = rule{at, change("client_id_field", "nobody"), slot + ".oauth2.client_id_field", "must be a field of"}
	rules["oauth secret unknown"] = rule{at, change("client_secret_field", "none"), slot + ".oauth2.client_secret_field", "must be a field of"}
	for _, u := range []string{
		"http://api.example.org/token", "https://evil.example.org/token", "https://api.example.org:8443/token", "https://api.example.org:443/t",
		"https://u:p@api.example.org/token", "https://api.example.org/token#x", "//api.example.org/token", "token", "https://auth.example.org/t",
		"https://evilauth.example.org/t", "https://api.example.org.evil.com/t", "https://*.auth.example.org/t", "https://api.example.org%2eevil.com/",
	} {
		rules["token URL "+u] = rule{at, change("token_url", u), slot + ".oauth2.token_url", "must be an https URL"}
	}
	rules["token URL of a host"] = rule{at, change("token_url", "https://api.example.org/oauth/token?v=2"), "", ""}
	hold(t, base, rules)
}
