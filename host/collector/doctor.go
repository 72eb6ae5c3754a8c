package collector

import (
	"context"
	"fmt"

	"github.com/pdpp-host/pdpp-host/storage"
)

// How bad a finding is, and how well a lane is.
const (
	LevelOK       = "ok"
	LevelWarn     = "warn"
	LevelCritical = "critical"
	OverallWarn   = "warning"
)

// Check is one finding of doctor, with one line that says what to do.
type Check struct {
	Name   string `json:"name"`
	Level  string `json:"level"`
	Text   string `json:"message"`
	Remedy string `json:"remediation,omitempty"`
}

// Diagnosis is what doctor found.
type Diagnosis struct {
	Object  string  `json:"object"`  // local_collector_doctor
	Overall string  `json:"overall"` // ok, warning, critical
	Checks  []Check `json:"checks"`
	Status  *Status `json:"status,omitempty"` // nil: the lane cannot be read
}

// Doctor looks at the lane, and changes nothing. What is wrong is a finding, not
// an error.
func (c *Collector) Doctor(ctx context.Context) (*Diagnosis, error) {
	d := &Diagnosis{Object: "local_collector_doctor", Overall: LevelOK}
	status, err := c.Status(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		p := problem(err)
		d.add(Check{Name: "outbox", Level: LevelCritical, Text: p.Message, Remedy: p.Hint})
	} else {
		d.Status = status
		d.add(Check{Name: "outbox", Level: LevelOK, Text: "the outbox can be read"})
		for _, check := range c.laneChecks(status) {
			d.add(check)
		}
	}
	for _, check := range postureChecks(PostureOf(c.deps.Install)) {
		d.add(check)
	}
	if volatile(c.deps.LanePath) {
		d.add(Check{
			Name: "outbox_location", Level: LevelWarn, Text: "the outbox lies in memory: what waits is gone when the machine stops",
			Remedy: "keep it on a disk: set " + EnvQueue + " in the profile",
		})
	}
	return d, nil
}

func (d *Diagnosis) add(c Check) {
	d.Checks = append(d.Checks, c)
	switch {
	case c.Level == LevelCritical:
		d.Overall = LevelCritical
	case c.Level == LevelWarn && d.Overall == LevelOK:
		d.Overall = OverallWarn
	}
}

// laneChecks are the findings of a lane that can be read.
func (c *Collector) laneChecks(s *Status) []Check {
	n := s.Outbox.Counts
	lane := " --source-instance-id " + c.deps.Profile.SourceInstanceID
	checks := []Check{
		found("delivery", n.DeadLetter == 0, "nothing was given up", LevelCritical,
			fmt.Sprintf("%d uploads were given up%s", n.DeadLetter, classes(n)), "pdpp-local-collector recover"+lane),
		found("leases", n.StaleLeases == 0, "no lease is left over", LevelWarn,
			fmt.Sprintf("%d uploads are held by a process that is gone", n.StaleLeases), "run it again; it takes them over: pdpp-local-collector run"+lane),
		found("backlog", n.Pending+n.Retrying+n.Leased+n.BacklogOpen == 0, "nothing waits", LevelWarn,
			fmt.Sprintf("%d uploads wait, and %d parts of the source are still to collect", n.Pending+n.Retrying+n.Leased, n.BacklogOpen),
			"run it again: pdpp-local-collector run"+lane),
		found("gaps", n.GapsOpen == 0, "no part of the source is known to be missing", LevelWarn,
			fmt.Sprintf("%d parts of the source were not collected, and are not retried by themselves", n.GapsOpen),
			"the last run says why, on the host: pdpp-host runs list"),
	}
	if s.LifecycleState == storage.LaneCoverageMissing {
		checks = append(checks, Check{
			Name: "coverage", Level: LevelWarn, Text: "the lane has never said which stores of the source it covers",
			Remedy: "run it with its default streams: pdpp-local-collector run" + lane,
		})
	}
	return checks
}

func found(name string, well bool, good, level, bad, remedy string) Check {
	if well {
		return Check{Name: name, Level: LevelOK, Text: good}
	}
	return Check{Name: name, Level: level, Text: bad, Remedy: remedy}
}

func classes(n Counts) string {
	if len(n.DeadLetterWhy) == 0 {
		return ""
	}
	return ", most of them for " + n.DeadLetterWhy[0].Class
}

// postureChecks are warnings at most: a development build collects as well, it
// only proves nothing of a released one (LC-08.2).
func postureChecks(p Posture) []Check {
	checks := []Check{found("deployment_posture", p.Kind == PosturePublished, p.Hint, LevelWarn, p.Hint,
		"install a released version before you rely on what this one reports")}
	if p.Placeholder {
		checks = append(checks, Check{
			Name: "package_version", Level: LevelWarn, Text: "version " + p.Version + " stands for none",
			Remedy: "install a released version before you rely on what this one reports",
		})
	}
	return checks
}
