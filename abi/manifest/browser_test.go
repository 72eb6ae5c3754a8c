package manifest_test

import "testing"

// browsing returns the smallest valid manifest of a connector with a browser.
func browsing() object {
	m := minimal()
	m["runtime_requirements"] = object{
		"bindings": object{"browser": object{"required": true}},
		"browser": object{
			"start_url": "https://www.shop.example/",
			"hosts":     list{object{"host": "www.shop.example", "role": "provider", "reason": "Your orders."}},
		},
	}
	return m
}

// A manifest says exactly what its connector asks of a browser: no member is passed over.
func TestBrowser(t *testing.T) {
	t.Parallel()
	const at = "runtime_requirements.browser"
	host := func(members ...string) list {
		h := object{"reason": "x"}
		for i := 0; i < len(members); i += 2 {
			h[members[i]] = members[i+1]
		}
		return list{object{"host": "www.shop.example", "role": "provider", "reason": "Your orders."}, h}
	}
	hold(t, browsing, map[string]rule{
		"smallest":             {at + ".start_url", "https://www.shop.example/account?x=1", "", ""},
		"no binding":           {"runtime_requirements.bindings", object{}, at, "needs the browser binding"},
		"unknown member":       {at + ".extension", true, at + ".extension", ""},
		"start elsewhere":      {at + ".start_url", "https://other.example/", at + ".start_url", "role provider"},
		"start in the clear":   {at + ".start_url", "http://www.shop.example/", at + ".start_url", "must be an address"},
		"start on a port":      {at + ".start_url", "https://www.shop.example:8443/", at + ".start_url", "must be an address"},
		"a window if any":      {at + ".mode", "headful_preferred", "", ""},
		"a window":             {at + ".mode", "headful_required", "", ""},
		"another mode":         {at + ".mode", "headless", at + ".mode", ""},
		"sessions dropped":     {at + ".session_cookies", "drop", "", ""},
		"sessions forgotten":   {at + ".session_cookies", "forget", at + ".session_cookies", ""},
		"pictures":             {at + ".screenshots", true, "", ""},
		"past the policy":      {at + ".bypass_csp", true, "", ""},
		"sessions of http":     {at + ".http_session", true, "", ""},
		"policy in words":      {at + ".bypass_csp", "yes", at + ".bypass_csp", ""},
		"downloads in words":   {at + ".downloads", "yes", at + ".downloads", ""},
		"an asset below":       {at + ".hosts", host("suffix", "cdn.shop.example", "role", "asset"), "", ""},
		"all below a provider": {at + ".hosts", host("suffix", "shop.example", "role", "provider"), at + ".hosts[1].suffix", "must not be of role provider"},
		"one label":            {at + ".hosts", host("suffix", "example", "role", "asset"), at + ".hosts[1].suffix", ""},
		"no role":              {at + ".hosts", host("host", "x.example"), at + ".hosts[1].role", "required"},
		"twice":                {at + ".hosts", host("host", "www.shop.example", "role", "asset"), at + ".hosts[1]", "twice"},
	})
}
