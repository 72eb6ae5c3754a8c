package health

// fillRuntime reports whether the connector's dependencies are available (HL-03).
func (f *facts) fillRuntime(c *Condition) {
	if row, lacks := runtimeDependency(f.code); lacks {
		f.fill(c, row)
		return
	}
	if f.axes.Attention != AttentionNone { // what the host has refused since, also after a success
		if row, lacks := runtimeDependency(Normalise(f.attention.ReasonCode)); lacks {
			f.fill(c, row)
			return
		}
	}
	switch f.axes.RemoteSurface {
	case SurfaceFailed:
		f.fillNamed(c, runtimeSurfaceFailed, f.surfaceReason())
	case SurfaceUnknown:
		f.fill(c, runtimeUnknown)
	case SurfaceNone:
		f.fill(c, runtimeUnmanaged)
	default:
		f.fill(c, runtimeAvailable)
	}
}

func (f *facts) fillSurface(c *Condition) {
	switch f.axes.RemoteSurface {
	case SurfaceFailed:
		f.fillNamed(c, surfaceFailed, f.surfaceReason())
	case SurfaceUnknown:
		f.fill(c, surfaceUnknown)
	case SurfaceNone:
		f.fill(c, surfaceNotRequired)
	default:
		f.fill(c, surfaceAvailable)
	}
}

// surfaceReason returns why a surface failed, from its lease.
func (f *facts) surfaceReason() Word {
	if f.RemoteSurface.WaitReason != "" {
		return f.RemoteSurface.WaitReason
	}
	return f.RemoteSurface.LeaseStatus
}

func (f *facts) exporterOutcome() int {
	switch f.axes.Outbox {
	case OutboxIdle:
		return exporterIdle
	case OutboxActive:
		return exporterActive
	case OutboxStalled:
		return byCause(f.Outbox.Cause, exporterStateRead, exporterDeadLetter, exporterStalePending, exporterStalled)
	}
	if !f.LocalDeviceBacked {
		return exporterNotApplicable
	}
	return exporterUnknown
}

func (f *facts) backlogOutcome() int {
	switch f.axes.Outbox {
	case OutboxIdle:
		return backlogIdle
	case OutboxActive:
		return backlogActive
	case OutboxStalled:
		return byCause(f.Outbox.Cause, backlogStateRead, backlogDeadLetter, backlogStalePending, backlogStalled)
	}
	if !f.LocalDeviceBacked {
		return backlogNotApplicable
	}
	return backlogUnknown
}

// byCause picks a stalled outcome. An unknown cause selects the generic one. Only the
// stalled axis has a cause (HL-16.4).
func byCause(c StalledCause, stateRead, deadLetter, stalePending, generic int) int {
	switch c {
	case CauseStateReadFailed:
		return stateRead
	case CauseDeadLetterBacklog:
		return deadLetter
	case CauseStalePending:
		return stalePending
	}
	return generic
}
