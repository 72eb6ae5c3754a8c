package schedule

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

func policy(mode string, change ...func(*abi.RefreshPolicy)) *abi.RefreshPolicy {
	p := &abi.RefreshPolicy{RecommendedMode: mode, Rationale: "It is said why."}
	for _, c := range change {
		c(p)
	}
	return p
}

func safe(yes bool) func(*abi.RefreshPolicy) {
	return func(p *abi.RefreshPolicy) { p.BackgroundSafe = &yes }
}

func posture(word string) func(*abi.RefreshPolicy) {
	return func(p *abi.RefreshPolicy) { p.InteractionPosture = word }
}

func signsIn(p *abi.RefreshPolicy) { p.AssistedAfterOwnerAuth = new(true) }

// The table of the runtime contract, section 8, in its order. RT-01.2: what has
// friction does not start by itself, or asks; RT-01.3: what has none does.
func TestEligible(t *testing.T) {
	t.Parallel()
	ready := Facts{Ready: true}
	for name, c := range map[string]struct {
		policy  *abi.RefreshPolicy
		trigger Trigger
		facts   Facts
		want    Decision
	}{
		"1 paused":                          {policy("paused"), Scheduled, ready, Decision{false, Blocked, ReasonPaused}},
		"1 paused by the owner":             {policy("automatic"), Scheduled, Facts{Ready: true, Paused: true}, Decision{false, Blocked, ReasonPaused}},
		"1 before 2":                        {policy("paused", safe(false)), Scheduled, Facts{}, Decision{false, Blocked, ReasonPaused}},
		"2 not safe in the background":      {policy("automatic", safe(false)), Scheduled, ready, Decision{false, Blocked, ReasonUnsafe}},
		"2 before 3":                        {policy("manual", safe(false)), Scheduled, Facts{}, Decision{false, Blocked, ReasonUnsafe}},
		"3 manual (RT-01.2)":                {policy("manual"), Scheduled, ready, Decision{false, Blocked, ReasonManual}},
		"3 before 4":                        {policy("manual"), Scheduled, Facts{AttentionOpen: true}, Decision{false, Blocked, ReasonManual}},
		"manual and safe":                   {policy("manual", safe(true)), Scheduled, ready, Decision{true, Unattended, ""}},
		"4 not ready":                       {policy("automatic"), Scheduled, Facts{}, Decision{false, AskBeforeRun, ReasonNotReady}},
		"4 before 5":                        {policy("automatic"), Scheduled, Facts{AttentionOpen: true}, Decision{false, AskBeforeRun, ReasonNotReady}},
		"5 attention":                       {policy("automatic"), Scheduled, Facts{Ready: true, AttentionOpen: true}, Decision{false, AskBeforeRun, ReasonAttention}},
		"low friction (RT-01.3)":            {policy("automatic", safe(true), posture("none")), Scheduled, ready, Decision{true, Unattended, ""}},
		"no posture":                        {policy("automatic"), Scheduled, ready, Decision{true, Unattended, ""}},
		"asks (RT-01.2)":                    {policy("automatic", posture("otp_likely")), Scheduled, ready, Decision{true, Assisted, ""}},
		"asks once, signed in since":        {policy("automatic", posture("credentials"), signsIn), Scheduled, ready, Decision{true, Unattended, ""}},
		"asks once, not by the schedule":    {policy("automatic", posture("credentials"), signsIn), Confirming, ready, Decision{true, Assisted, ""}},
		"no policy":                         {nil, Scheduled, ready, Decision{true, Unattended, ""}},
		"by hand, whatever the policy says": {policy("paused", safe(false)), Manual, Facts{Paused: true, AttentionOpen: true}, Decision{true, Unattended, ""}},
		"a device's, by itself":             {policy("automatic"), Scheduled, Facts{Ready: true, OnDevice: true}, Decision{false, Blocked, ReasonOnDevice}},
		"a device's, whoever asks":          {nil, Manual, Facts{Ready: true, OnDevice: true}, Decision{false, Blocked, ReasonOnDevice}},
		"a device's before all else":        {policy("paused"), Confirming, Facts{Paused: true, OnDevice: true, AttentionOpen: true}, Decision{false, Blocked, ReasonOnDevice}},
		"by hand, it asks":                  {policy("manual", posture("otp_likely")), Manual, Facts{}, Decision{true, Assisted, ""}},
		"confirming a manual one":           {policy("manual", safe(false)), Confirming, ready, Decision{true, Unattended, ""}},
		"confirming what its owner paused":  {policy("automatic"), Confirming, Facts{Ready: true, Paused: true}, Decision{false, Blocked, ReasonPaused}},
		"confirming what is not there":      {policy("automatic"), Confirming, Facts{}, Decision{false, AskBeforeRun, ReasonNotReady}},
		"confirming what is still open":     {policy("automatic"), Confirming, Facts{Ready: true, AttentionOpen: true}, Decision{false, AskBeforeRun, ReasonAttention}},
	} {
		if got := Eligible(c.policy, c.trigger, c.facts); got != c.want {
			t.Errorf("%s: Eligible(c.policy, c.trigger, c.facts): got %+v, want %v", name, got, c.want)
		}
	}
}

// RT-01.4: the manifest's hint is a recommendation. The owner's choice goes
// over it, and without a hint there is a default: no connector has to declare
// one to be run, so that nothing portable depends on it.
func TestTheHintIsNoProtocol(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		setting Setting
		policy  *abi.RefreshPolicy
		want    bool
	}{
		"automatic":             {Setting{}, policy("automatic"), true},
		"manual":                {Setting{}, policy("manual"), false},
		"manual and safe":       {Setting{}, policy("manual", safe(true)), false},
		"paused":                {Setting{}, policy("paused"), false},
		"no policy":             {Setting{}, nil, true},
		"the owner's interval":  {Setting{Mode: Automatic, Every: 60}, policy("manual", safe(true)), true},
		"the owner's own hand":  {Setting{Mode: ByHand}, policy("automatic"), false},
		"by hand, no policy":    {Setting{Mode: ByHand}, nil, false},
		"paused is no mode":     {Setting{Paused: true}, policy("automatic"), true},
		"automatic over manual": {Setting{Mode: Automatic}, policy("manual"), true},
	} {
		if got := c.setting.Enrolled(c.policy); got != c.want {
			t.Errorf("%s: c.setting.Enrolled(c.policy): got %v, want %v", name, got, c.want)
		}
	}
	intervals := func(recommended, minimum int64) *abi.RefreshPolicy {
		return policy("automatic", func(p *abi.RefreshPolicy) {
			p.RecommendedIntervalSeconds, p.MinimumIntervalSeconds = &recommended, &minimum
		})
	}
	for name, c := range map[string]struct {
		setting        Setting
		policy         *abi.RefreshPolicy
		every, minimum time.Duration
	}{
		"no policy":             {Setting{}, nil, defaultInterval, 0},
		"no interval":           {Setting{}, policy("automatic"), defaultInterval, 0},
		"recommended (RT-01.3)": {Setting{}, intervals(3600, 60), time.Hour, time.Minute},
		"the owner's":           {Setting{Every: 120}, intervals(3600, 60), 2 * time.Minute, time.Minute},
		"never below the least": {Setting{Every: 1}, intervals(3600, 60), time.Minute, time.Minute},
		"without a policy":      {Setting{Every: 1}, nil, time.Second, 0},
	} {
		if every, minimum := Interval(c.setting, c.policy); every != c.every || minimum != c.minimum {
			t.Errorf("%s: got %s, %s, want every == c.every && minimum == c.minimum", name, every, minimum)
		}
	}
}

func TestDue(t *testing.T) {
	t.Parallel()
	run := DueInput{Every: time.Hour, Minimum: time.Minute, Started: clock("12:00"), Ended: clock("12:10")}
	with := func(change func(*DueInput)) DueInput { in := run; change(&in); return in }
	for name, c := range map[string]struct {
		in   DueInput
		now  string
		want time.Time
	}{
		"it never ran":               {DueInput{Every: time.Hour}, "12:00", clock("12:00")},
		"an interval after it began": {run, "12:10", clock("13:00")},
		"also when that has passed":  {run, "15:00", clock("13:00")},
		"with its jitter":            {with(func(in *DueInput) { in.Jitter = 0.5 }), "12:10", clock("13:03")},
		"which is never early":       {with(func(in *DueInput) { in.Jitter = -9 }), "12:10", clock("13:00")},
		"and never late":             {with(func(in *DueInput) { in.Jitter = 9 }), "12:10", clock("13:06")},
		"a run longer than that":     {with(func(in *DueInput) { in.Ended = clock("14:30") }), "14:30", clock("14:31")},
		"backing off":                {with(func(in *DueInput) { in.Backoff = clock("14:00") }), "12:10", clock("14:00")},
		"cooling down":               {with(func(in *DueInput) { in.Cooled = clock("15:00") }), "12:10", clock("15:00")},
		"the later of the two":       {with(func(in *DueInput) { in.Backoff, in.Cooled = clock("14:00"), clock("15:00") }), "12:10", clock("15:00")},
		"the other way round":        {with(func(in *DueInput) { in.Backoff, in.Cooled = clock("15:00"), clock("14:00") }), "12:10", clock("15:00")},
		"neither brings it forward":  {with(func(in *DueInput) { in.Backoff, in.Cooled = clock("12:20"), clock("12:20") }), "12:10", clock("13:00")},
		"the clock was put back":     {run, "06:00", clock("07:00")},
	} {
		if got := Due(c.in, clock(c.now)); !got.Equal(c.want) {
			t.Errorf("%s: Due(c.in, clock(c.now)): got %s, want got.Equal(c.want)", name, got)
		}
	}
}
