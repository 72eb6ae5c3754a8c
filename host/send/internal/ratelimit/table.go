package ratelimit

import "time"

// headerNames are the headers in which a provider reports one window. An empty name
// means that it does not send that header.
type headerNames struct {
	provider, source string // the senders, and the document that describes the headers

	window                              string // distinguishes windows of one answer
	limit, remaining, reset, resetAfter string
	per                                 time.Duration // 0: unknown
}

// family is a set of headers of many providers, which differ in what comes before and
// after the same four words.
type family struct {
	provider, source string

	prefix string
}

// named returns the family's headers for the windows with a suffix.
func (f *family) named(suffix string, per time.Duration) *headerNames {
	return &headerNames{
		window: suffix, per: per, limit: f.prefix + "Limit" + suffix, remaining: f.prefix + "Remaining" + suffix,
		reset: f.prefix + "Reset" + suffix, resetAfter: f.prefix + "Reset-After" + suffix,
	}
}

// spans are the suffixes with which some providers name their windows. Requests is
// OpenAI's, beside the windows of its tokens
// (platform.openai.com/docs/guides/rate-limits); the others are Kong's.
var spans = []struct {
	suffix string
	per    time.Duration
}{
	{"", 0}, {"-Second", time.Second}, {"-Minute", time.Minute}, {"-Hour", time.Hour}, {"-Day", 24 * time.Hour}, {"-Requests", 0},
}

// families lists the most common first. The first one present in an answer applies.
var families = []family{
	{"GitHub", "docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api", "X-Ratelimit-"}, // also Discord, Kong, Mastodon, Reddit, Vimeo
	{"GitLab", "docs.gitlab.com/administration/settings/user_and_ip_rate_limits", "Ratelimit-"},        // also the IETF draft up to version 6, Docker Hub
	{"X", "docs.x.com/x-api/fundamentals/rate-limits", "X-Rate-Limit-"},                                // also Okta, Zendesk
	{"Fitbit", "dev.fitbit.com/build/reference/web-api/developer-guide/application-design", "Fitbit-Rate-Limit-"},
	{"Linear", "linear.app/developers/rate-limiting", "X-Ratelimit-Requests-"},
	{"Anthropic", "docs.anthropic.com/en/api/rate-limits", "Anthropic-Ratelimit-Requests-"},
}

// singular are headers of one provider each.
var singular = []headerNames{
	{provider: "Etsy", source: "developers.etsy.com/documentation/essentials/rate-limits", window: "second", limit: "X-Limit-Per-Second", remaining: "X-Remaining-This-Second", per: time.Second},
	{provider: "Etsy", source: "developers.etsy.com/documentation/essentials/rate-limits", window: "day", limit: "X-Limit-Per-Day", remaining: "X-Remaining-Today", per: 24 * time.Hour},
	{provider: "HubSpot", source: "developers.hubspot.com/docs/developer-tooling/platform/usage-guidelines", window: "daily", limit: "X-Hubspot-Ratelimit-Daily", remaining: "X-Hubspot-Ratelimit-Daily-Remaining", per: 24 * time.Hour},
	{provider: "Imgur", source: "apidocs.imgur.com", window: "user", limit: "X-Ratelimit-Userlimit", remaining: "X-Ratelimit-Userremaining", reset: "X-Ratelimit-Userreset"},
	{provider: "Toggl", source: "engineering.toggl.com/docs/#generic-responses", window: "quota", remaining: "X-Toggl-Quota-Remaining", resetAfter: "X-Toggl-Quota-Resets-In"},
	{provider: "Xero", source: "developer.xero.com/documentation/guides/oauth2/limits", window: "min", remaining: "X-Minlimit-Remaining", per: time.Minute},
	{provider: "Xero", source: "developer.xero.com/documentation/guides/oauth2/limits", window: "day", remaining: "X-Daylimit-Remaining", per: 24 * time.Hour},
}

// usagePair is a pair of headers that list the limits and the use of several windows.
type usagePair struct {
	provider, source string

	limit, usage string
	per          []time.Duration
}

var pairs = []usagePair{
	{"Strava", "developers.strava.com/docs/rate-limits", "X-Ratelimit-Limit", "X-Ratelimit-Usage", []time.Duration{15 * time.Minute, 24 * time.Hour}},
	{"Strava", "developers.strava.com/docs/rate-limits", "X-Readratelimit-Limit", "X-Readratelimit-Usage", []time.Duration{15 * time.Minute, 24 * time.Hour}},
}
