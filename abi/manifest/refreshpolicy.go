package manifest

import "github.com/pdpp-host/pdpp-host/abi"

// maxInterval is ten years in seconds. A longer interval is a mistake, and adding it
// to a time would overflow sooner or later.
const maxInterval = 10 * 366 * 24 * 60 * 60

// refreshPolicyKeys are all keys of the policy. The policy is advice to the scheduler,
// not protocol (RT-01). The host would never honour an unknown key, so it refuses one.
var refreshPolicyKeys = []string{
	"recommended_mode", "rationale", "recommended_interval_seconds", "minimum_interval_seconds",
	"maximum_staleness_seconds", "interaction_posture", "session_lifetime_seconds", "rate_limit_sensitivity",
	"bot_detection_sensitivity", "background_safe", "assisted_after_owner_auth", "max_cooldown_cycles",
	"max_recovery_attempts",
}

func readRefreshPolicy(p place) *abi.RefreshPolicy {
	if !p.object() {
		return nil
	}
	p.refuseOthers("a refresh policy", refreshPolicyKeys...)
	mode := p.member("recommended_mode")
	mode.require()
	rationale := p.member("rationale")
	rationale.require()
	r := &abi.RefreshPolicy{
		RecommendedMode:            mode.oneOf("automatic", "manual", "paused"),
		Rationale:                  rationale.prose(maxSentence),
		RecommendedIntervalSeconds: p.member("recommended_interval_seconds").count(maxInterval),
		MinimumIntervalSeconds:     p.member("minimum_interval_seconds").count(maxInterval),
		MaximumStalenessSeconds:    p.member("maximum_staleness_seconds").count(maxInterval),
		InteractionPosture:         p.member("interaction_posture").oneOf("none", "credentials", "otp_likely", "manual_action_likely"),
		SessionLifetimeSeconds:     p.member("session_lifetime_seconds").count(maxInterval),
		RateLimitSensitivity:       p.member("rate_limit_sensitivity").oneOf("low", "medium", "high"),
		BotDetectionSensitivity:    p.member("bot_detection_sensitivity").oneOf("low", "medium", "high"),
		BackgroundSafe:             p.member("background_safe").optionalBoolean(),
		AssistedAfterOwnerAuth:     p.member("assisted_after_owner_auth").optionalBoolean(),
		MaxCooldownCycles:          p.member("max_cooldown_cycles").count(24),
		MaxRecoveryAttempts:        p.member("max_recovery_attempts").count(20),
	}
	if a, b := r.RecommendedIntervalSeconds, r.MinimumIntervalSeconds; a != nil && b != nil && *a < *b {
		p.member("recommended_interval_seconds").fail("must not be below minimum_interval_seconds")
	}
	return r
}
