package manifest_test

import "testing"

const policyAt = "capabilities.refresh_policy"

// RT-01.1: a policy names a recommended mode and an owner-readable rationale,
// and may give each of the hints.
func TestRefreshPolicyRequiredKeys(t *testing.T) {
	t.Parallel()
	base := func() object {
		return set(t, minimal(), policyAt, object{"recommended_mode": "manual", "rationale": "It asks for a code\neach time."})
	}
	hold(t, base, map[string]rule{
		"just the two":      {"version", "1.0.0", "", ""},
		"no mode":           {policyAt + ".recommended_mode", drop, policyAt + ".recommended_mode", "required"},
		"unknown mode":      {policyAt + ".recommended_mode", "always", policyAt + ".recommended_mode", "must be one of automatic, manual, paused"},
		"no rationale":      {policyAt + ".rationale", drop, policyAt + ".rationale", "required"},
		"blank rationale":   {policyAt + ".rationale", "\n", policyAt + ".rationale", "empty"},
		"hostile rationale": {policyAt + ".rationale", "a\x1b[0m", policyAt + ".rationale", "control"},
		"unknown key":       {policyAt + ".retry_at", 5, policyAt + ".retry_at", "is not a key of a refresh policy"},
		"a string":          {policyAt, "manual", policyAt, "must be an object"},
	})
	if valid(t, minimal()).Capabilities.RefreshPolicy != nil {
		t.Error("a policy that nobody declared")
	}
	valid(t, set(t, minimal(), "capabilities", object{}))
}

// RT-01.1: the optional hints and their ranges.
func TestRefreshPolicyHints(t *testing.T) {
	t.Parallel()
	base := func() object {
		return set(t, minimal(), policyAt, object{"recommended_mode": "automatic", "rationale": "Cheap."})
	}
	rules := map[string]rule{
		"recommended below minimum": {policyAt, object{"recommended_mode": "automatic", "rationale": "x",
			"recommended_interval_seconds": 59, "minimum_interval_seconds": 60},
			policyAt + ".recommended_interval_seconds", "must not be below minimum_interval_seconds"},
		"recommended at minimum": {policyAt, object{"recommended_mode": "automatic", "rationale": "x",
			"recommended_interval_seconds": 60, "minimum_interval_seconds": 60}, "", ""},
	}
	for _, key := range []string{
		"recommended_interval_seconds", "minimum_interval_seconds", "maximum_staleness_seconds", "session_lifetime_seconds",
		"max_cooldown_cycles", "max_recovery_attempts",
	} {
		at := policyAt + "." + key
		rules[key+" one"] = rule{at, 1, "", ""}
		for name, value := range map[string]any{"zero": 0, "negative": -1, "fraction": 1.5, "text": "60", "huge": 1e18} {
			rules[key+" "+name] = rule{at, value, at, "must be a"}
		}
	}
	rules["cycles 24"] = rule{policyAt + ".max_cooldown_cycles", 24, "", ""}
	rules["cycles 25"] = rule{policyAt + ".max_cooldown_cycles", 25, policyAt + ".max_cooldown_cycles", "1 to 24"}
	rules["attempts 20"] = rule{policyAt + ".max_recovery_attempts", 20, "", ""}
	rules["attempts 21"] = rule{policyAt + ".max_recovery_attempts", 21, policyAt + ".max_recovery_attempts", "1 to 20"}
	for key, set := range map[string][]string{
		"interaction_posture":       {"none", "credentials", "otp_likely", "manual_action_likely"},
		"rate_limit_sensitivity":    {"low", "medium", "high"},
		"bot_detection_sensitivity": {"low", "medium", "high"},
	} {
		at := policyAt + "." + key
		rules[key+" unknown"] = rule{at, "extreme", at, "must be one of"}
		for _, v := range set {
			rules[key+" "+v] = rule{at, v, "", ""}
		}
	}
	for _, key := range []string{"background_safe", "assisted_after_owner_auth"} {
		rules[key+" true"] = rule{policyAt + "." + key, true, "", ""}
		rules[key+" text"] = rule{policyAt + "." + key, "true", policyAt + "." + key, "must be a boolean"}
	}
	hold(t, base, rules)
}
