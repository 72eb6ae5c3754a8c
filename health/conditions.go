package health

import "slices"

// ExhaustedAfter is the number of consecutive failed runs from which a back-off blocks
// instead of delaying.
const ExhaustedAfter = 7

// conditions returns one condition of each type, in the order of Types.
func (f *facts) conditions() []Condition {
	c := make([]Condition, conditionCount)
	f.fill(&c[atProjection], f.projectionOutcome())
	f.fill(&c[atSchedule], f.scheduleOutcome())
	f.fillRetry(&c[atRetry])
	f.fillAttention(&c[atAttention])
	f.fillCollection(&c[atCollection])
	f.fillCredentials(&c[atCredentials])
	f.fillRuntime(&c[atRuntime])
	f.fillSurface(&c[atSurface])
	f.fill(&c[atExporter], f.exporterOutcome())
	f.fillCoverage(&c[atCoverage])
	f.fill(&c[atFresh], f.freshOutcome())
	f.fill(&c[atBacklog], f.backlogOutcome())
	return c
}

// fill sets c to the outcome at row of the table.
func (f *facts) fill(c *Condition, row int) {
	o := &outcomes[row]
	// Fields are set one by one: c is zero, and assigning a whole struct would write
	// it twice.
	c.ID, c.Type, c.Status, c.Severity, c.Reason = rowIDs[row], o.typ, o.status, o.severity, o.reason
	c.Message, c.Origin, c.ObservedAt, c.Current, c.Sensitivity = o.message, o.origin, f.observed, true, OwnerOnly
	if o.redacted {
		c.Sensitivity = SecretRedacted
	}
	if o.remedy != nil {
		r := *o.remedy
		c.Remediation = &r
	}
}

// fillNamed is fill for an outcome whose reason may come from outside text.
func (f *facts) fillNamed(c *Condition, row int, raw Word) {
	f.fill(c, row)
	reason, redacted := reasonOf(raw, c.Reason)
	if redacted {
		c.Sensitivity = SecretRedacted
	}
	c.rename(reason)
}

// fillClassed is fillNamed for a class from the host's scheduler. Its words belong to
// the contract and are kept whatever their length.
func (f *facts) fillClassed(c *Condition, row int, class Word) {
	if !isContractWord(class) {
		f.fillNamed(c, row, class)
		return
	}
	f.fill(c, row)
	c.rename(class)
}

func (c *Condition) rename(reason Word) {
	if reason != c.Reason {
		c.Reason = reason
		c.ID = idOf(c.Type, reason)
	}
}

func idOf(t Type, reason Word) string { return string(t) + ":" + string(reason) }

// rowIDs are the ids of the table's rows with their own reasons.
var rowIDs = func() (ids [outcomeCount]string) {
	for i := range outcomes {
		ids[i] = idOf(outcomes[i].typ, outcomes[i].reason)
	}
	return ids
}()

func (f *facts) projectionOutcome() int {
	if len(f.Projection.UnreliableSources) > 0 {
		return projectionUnreliable
	}
	return projectionCurrent
}

func (f *facts) scheduleOutcome() int {
	switch {
	case f.Schedule == nil:
		return scheduleNone
	case !f.Schedule.Enabled:
		return schedulePaused
	}
	return scheduleEnabled
}

func (f *facts) fillRetry(c *Condition) {
	b := f.backoff
	switch {
	case b == nil:
		f.fill(c, retryClear)
		return
	case !f.waiting:
		f.fill(c, retryExpired) // its reason no longer counts (HL-02.2)
	case b.ConsecutiveFailures >= ExhaustedAfter:
		f.fillClassed(c, retryExhausted, withoutPrefix(b.ReasonClass))
	default:
		f.fillClassed(c, retryWaiting, withoutPrefix(b.ReasonClass))
		c.ExpiresAt = b.NextRunAt
	}
	c.ObservedAt = firstKnown(b.RecordedAt, c.ObservedAt)
}

func (f *facts) fillAttention(c *Condition) {
	a := f.attention
	switch {
	case a == nil:
		f.fill(c, attentionNone)
		return
	case f.axes.Attention == AttentionNone:
		f.fill(c, attentionExpired)
		return
	case a.Sensitivity == "secret":
		f.fillNamed(c, attentionSecret, a.ReasonCode)
	default:
		f.fillNamed(c, attentionOpen, a.ReasonCode)
		if target, hidden := reasonOf(a.ActionTarget, ""); hidden {
			c.Sensitivity = SecretRedacted
		} else {
			c.Remediation.Target = target
		}
	}
	c.ExpiresAt = a.ExpiresAt
}

func (f *facts) fillCollection(c *Condition) {
	switch {
	case f.succeeded():
		f.fill(c, collectionSucceeded)
		c.ObservedAt = firstKnown(f.run.LastSuccessAt, c.ObservedAt)
	case f.run != nil:
		f.fillNamed(c, collectionFailed, f.run.ReasonCode)
	case f.byDevice:
		f.fill(c, collectionByDevice)
	case f.LocalDeviceBacked:
		f.fill(c, collectionDeviceUnproven)
	default:
		f.fill(c, collectionUnobserved)
	}
}

func (f *facts) fillCredentials(c *Condition) {
	rejected := f.rejection()
	switch {
	case f.Credentials.WasRemoved():
		f.fill(c, credentialsRequired) // newer than any success
	case rejected != "" && f.Credentials.neverIn():
		f.fillNamed(c, credentialsRequired, rejected)
	case rejected != "":
		f.fillNamed(c, credentialsRejected, rejected)
	case f.Credentials.unconfirmed():
		f.fill(c, credentialsUnconfirmed)
	case f.Credentials != nil && !f.Credentials.Stored:
		f.fill(c, credentialsNone) // none is stored, so none was accepted
	case f.succeeded():
		f.fill(c, credentialsAccepted)
	default:
		f.fill(c, credentialsUnprobed)
	}
}

func (f *facts) fillCoverage(c *Condition) {
	axis := f.axes.Coverage
	switch {
	case axis == CoverageUnknown:
		f.fill(c, coverageUnknown)
	case axis == CoverageTerminalGap:
		f.fill(c, coverageTerminal)
	case axis == CoverageRetryableGap:
		f.fill(c, coverageRetryable)
	case axis.Degrading():
		f.fill(c, coverageDegraded)
	case f.coverage.RequiredButAccepted:
		f.fill(c, coverageContradiction)
	case axis == CoverageComplete:
		f.fill(c, coverageComplete)
	default:
		f.fill(c, coverageAccepted)
	}
	if axis != CoverageUnknown {
		c.rename(Word(axis))
	}
	if c.Status == False {
		c.Streams = slices.Clone(f.coverage.Streams)
	}
}

func (f *facts) freshOutcome() int {
	switch {
	case f.axes.Freshness == FreshnessFresh:
		return freshFresh
	case f.axes.Freshness == FreshnessUnknown:
		return freshUnknown
	case f.manual:
		return freshStaleManual
	}
	return freshStale
}
