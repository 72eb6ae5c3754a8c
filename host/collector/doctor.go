package collector

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/collector/client"
	"github.com/pdpp-host/pdpp-host/host/collector/posture"
	"github.com/pdpp-host/pdpp-host/host/collector/profile"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
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

// Doctor looks at the lane, and changes nothing. A problem is a finding, not an error.
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
	d.add(c.reach(ctx))
	for _, check := range postureChecks(posture.Of(c.deps.Install)) {
		d.add(check)
	}
	if profile.Volatile(c.deps.LanePath) {
		d.add(Check{
			Name: "outbox_location", Level: LevelWarn, Text: "the outbox lies in memory: what waits is gone when the machine stops",
			Remedy: "keep it on a disk: set " + profile.EnvQueue + " in the profile",
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
			counted(n.DeadLetter, "upload")+" given up"+classes(n), afterDeadLetters(n)+"pdpp-local-collector recover"+lane+" --apply"),
		found("leases", n.StaleLeases == 0, "no lease is left over", LevelWarn,
			counted(n.StaleLeases, "upload")+" held by a process that is gone", "run it again; it takes them over: pdpp-local-collector run"+lane),
		found("backlog", n.Pending+n.Retrying+n.Leased == 0, "nothing waits", LevelWarn,
			counted(n.Pending+n.Retrying+n.Leased, "upload")+" waiting", "run it again: pdpp-local-collector run"+lane),
	}
	if f := s.Failed; f != nil {
		checks = append(checks, c.failedCheck(f))
	}
	checks = append(checks, gapsCheck(s, lane))
	for _, o := range s.PutOff {
		if word, code, _ := strings.Cut(o.Class, ":"); strings.HasPrefix(word, "http_4") && code != "" && !storage.TransientClass(o.Class) {
			checks = append(checks, Check{
				Name: "refused", Level: LevelWarn, Text: counted(o.Count, "upload") + " refused by the host and tried again: " + o.Class + ", " + o.Message,
				Remedy: cmp.Or(client.Remedy(o.Class), "see what the host says") + "; what it goes on to refuse is given up, and shown here",
			})
		}
	}
	for _, p := range s.Open.Parts {
		if p.Reason == device.GapStartsOver {
			checks = append(checks, Check{
				Name: device.GapStartsOver, Level: LevelWarn, Remedy: startsOverAdvice,
				Text: counted(p.Attempts, "run") + " reached the bound before the first checkpoint: the next one starts over too",
			})
		}
	}
	if s.LifecycleState == storage.LaneCoverageMissing {
		checks = append(checks, Check{
			Name: "coverage", Level: LevelWarn, Text: "the lane has never said which stores of the source it covers",
			Remedy: "run it with its default streams: pdpp-local-collector run" + lane,
		})
	}
	return checks
}

func (c *Collector) failedCheck(f *Failed) Check {
	what := "could not run"
	if f.Delivering {
		what = "could not deliver"
	}
	ago := c.deps.Now().Sub(f.At).Round(time.Second)
	return Check{Name: "last_run", Level: LevelWarn, Text: "the last run, " + ago.String() + " ago, " + what + ": " + f.Message + " [" + f.Code + "]", Remedy: f.Hint}
}

// gapsCheck names what somebody has to put right; of the rest it says who gets on
// with it.
func gapsCheck(s *Status, lane string) Check {
	left := s.GapsLeft()
	check := Check{Name: "gaps", Level: LevelWarn, Text: left.String()}
	switch {
	case left == GapsLeft{}:
		return Check{Name: "gaps", Level: LevelOK, Text: "no part of the source is known to be missing"}
	case left.Somebody > 0:
		check.Remedy = "put it right; the next run looks again: pdpp-local-collector run" + lane
	case left.ByItself > 0:
		check.Remedy = "nothing to do: a later run collects it, once it can be"
	default:
		check.Remedy = "nothing to do, or a newer connector: what is missing is listed by pdpp-local-collector status" + lane
	}
	for i := range s.Open.Parts {
		if p := &s.Open.Parts[i]; left.Somebody > 0 && p.Status != storage.UnitDead && p.whose() == somebody {
			check.Text += "; " + p.Why()
			switch p.Reason {
			case run.ReasonUnexplained:
				check.Remedy = "see which files, and say which are not for the connector: pdpp-local-collector files" + lane
			case device.GapRefused:
				check.Remedy = "install the host's version of the connector on both sides, then collect it again: pdpp-local-collector run" + lane + " --full-refresh"
			case device.GapStreamRefused:
				check.Remedy = "have the host's connector declare the stream as this one does; the next run then delivers it: pdpp-local-collector run" + lane
			}
			break
		}
	}
	return check
}

// counted is a number with its word.
func counted(n int64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// reach asks the host for some of the lane's state, which changes nothing.
func (c *Collector) reach(ctx context.Context) Check {
	_, err := c.lane.StatePage(ctx, "")
	if err == nil {
		return Check{Name: "host", Level: LevelOK, Text: "the host answers, and takes this device's credential"}
	}
	p := problem(err)
	check := Check{Name: "host", Level: LevelWarn, Text: p.Message, Remedy: p.Hint}
	if f, ok := client.FailureOf(err); ok && f.Class.Stops() {
		check.Level = LevelCritical
		if f.Class == client.ClassAuth {
			check.Text = "revoked: " + p.Message
		}
	}
	return check
}

// ModuleChecks holds the module of the connector, or why there is none, against
// the lane: that it is the accepted one, can run here, and finds its folders as a
// run of it would.
func (c *Collector) ModuleChecks(ctx context.Context, file *plugin.File, missing error) []Check {
	bad := func(name string, err error) Check {
		p := problem(err)
		return Check{Name: name, Level: LevelCritical, Text: p.Message, Remedy: p.Hint}
	}
	if missing != nil {
		return []Check{bad("module", missing)}
	}
	m, err := c.describe(ctx, file)
	if err != nil {
		return []Check{bad("module", err)}
	}
	checks := []Check{{Name: "module", Level: LevelOK, Text: m.ConnectorKey + " " + m.Version + " is installed"}}
	info, _, _, err := c.look(ctx)
	if err != nil {
		return checks // the outbox's own finding says it
	}
	if info.PinnedSHA256 == "" {
		checks = append(checks, bad("accepted", c.NotAccepted()))
	} else {
		checks = append(checks, found("accepted", info.PinnedSHA256 == file.SHA256, "it is the module that was accepted", LevelCritical,
			"it is another module than the accepted one, and is not run", c.verifyCommand()))
	}
	if err := c.fits(m.Manifest); err != nil {
		return append(checks, bad("binding", err))
	}
	if c.deps.Run.Roots == nil {
		return checks
	}
	roots, err := c.deps.Run.Roots.Resolve(m.Manifest, info.Roots, info.Accepted)
	if b, asks := m.Requirements.Bindings[abi.BindingFilesystem]; asks && !b.Required && len(info.Roots) == 0 && abi.CodeOf(err) == abi.CodeRootMissing {
		err = nil // it runs without
	}
	if err != nil {
		return append(checks, bad("folders", c.Advised(err)))
	}
	for _, r := range roots {
		was, known := info.ReadRoots[r.Name]
		if known && (was != r.Path || r.Empty) {
			return append(checks, Check{
				Name: "folders", Level: LevelCritical, Text: "the folder for root " + r.Name + " is another than before, or has been emptied: it is not read",
				Remedy: "put it back; or, if it is meant: pdpp-local-collector run --source-instance-id " + c.deps.Profile.SourceInstanceID + " --accept-root",
			})
		}
	}
	return append(checks, Check{Name: "folders", Level: LevelOK, Text: counted(int64(len(roots)), "folder") + " found"})
}

// Add adds findings.
func (d *Diagnosis) Add(checks ...Check) {
	for _, c := range checks {
		d.add(c)
	}
}

func found(name string, well bool, good, level, bad, remedy string) Check {
	if well {
		return Check{Name: name, Level: LevelOK, Text: good}
	}
	return Check{Name: name, Level: level, Text: bad, Remedy: remedy}
}

// afterDeadLetters says what has to be done before what was given up is sent again.
func afterDeadLetters(n Counts) string {
	for _, why := range n.DeadLetterWhy {
		switch word, code, _ := strings.Cut(why.Class, ":"); code {
		case client.CodeNoArtifacts:
			return "the host takes no artifacts; once it does: "
		case device.CodeBlobQuota:
			return "the host has no room for this source's artifacts: export the connection there, remove it with all that it has, and enroll again; or, once there is room: "
		case "": // nothing that the host signed
		default:
			if strings.HasPrefix(word, "http_4") && !storage.TransientClass(why.Class) {
				return "the host refuses them again as they are: " + cmp.Or(client.Remedy(why.Class), "see what it says") + "; then: "
			}
		}
	}
	return ""
}

func classes(n Counts) string {
	if len(n.DeadLetterWhy) == 0 {
		return ""
	}
	return ", most of them for " + n.DeadLetterWhy[0].Class
}

// postureChecks are warnings at most: a development build collects as well, it
// only proves nothing of a released one (LC-08.2).
func postureChecks(p posture.Posture) []Check {
	checks := []Check{found("deployment_posture", p.Kind == posture.Published, p.Hint, LevelWarn, p.Hint,
		"install a released version before you rely on what this one reports")}
	if p.Placeholder {
		checks = append(checks, Check{
			Name: "package_version", Level: LevelWarn, Text: "version " + p.Version + " stands for none",
			Remedy: "install a released version before you rely on what this one reports",
		})
	}
	return checks
}
