package manifest

import "github.com/pdpp-host/pdpp-host/abi"

// maxInterval is ten years in seconds: beyond it an interval is a mistake, and
// adding it to a time would overflow sooner or later.
const maxInterval = 10 * 366 * 24 * 60 * 60

// refreshPolicyKeys are all the keys of the policy. It is advice to the
// scheduler and not protocol (RT-01), so a key nobody reads is a promise nobody
// keeps: it is refused rather than ignored.
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
	p.only("a refresh policy", refreshPolicyKeys...)
	mode := p.get("recommended_mode")
	mode.need()
	rationale := p.get("rationale")
	rationale.need()
	r := &abi.RefreshPolicy{
		RecommendedMode:            mode.oneOf("automatic", "manual", "paused"),
		Rationale:                  rationale.prose(maxSentence),
		RecommendedIntervalSeconds: p.get("recommended_interval_seconds").count(maxInterval),
		MinimumIntervalSeconds:     p.get("minimum_interval_seconds").count(maxInterval),
		MaximumStalenessSeconds:    p.get("maximum_staleness_seconds").count(maxInterval),
		InteractionPosture:         p.get("interaction_posture").oneOf("none", "credentials", "otp_likely", "manual_action_likely"),
		SessionLifetimeSeconds:     p.get("session_lifetime_seconds").count(maxInterval),
		RateLimitSensitivity:       p.get("rate_limit_sensitivity").oneOf("low", "medium", "high"),
		BotDetectionSensitivity:    p.get("bot_detection_sensitivity").oneOf("low", "medium", "high"),
		BackgroundSafe:             p.get("background_safe").optionalBoolean(),
		AssistedAfterOwnerAuth:     p.get("assisted_after_owner_auth").optionalBoolean(),
		MaxCooldownCycles:          p.get("max_cooldown_cycles").count(24),
		MaxRecoveryAttempts:        p.get("max_recovery_attempts").count(20),
	}
	if a, b := r.RecommendedIntervalSeconds, r.MinimumIntervalSeconds; a != nil && b != nil && *a < *b {
		p.get("recommended_interval_seconds").fail("must not be below minimum_interval_seconds")
	}
	return r
}
