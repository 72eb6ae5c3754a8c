package health

// LocalCoverage are a device's stored coverage records. A nil LocalCoverage, or
// one that could not be read, says nothing.
type LocalCoverage struct {
	Readable bool          `json:"readable"`
	Records  []StoreRecord `json:"records"`
}

// StoreRecord says what became of one store on the device.
type StoreRecord struct {
	Store  string `json:"store"`
	Status Word   `json:"status"`
}

// accounted reports whether the record says what became of its store.
func (r *StoreRecord) accounted() bool {
	switch r.Status {
	case "collected", "inventory_only", "excluded", "deferred", "missing", "unsupported":
		return true
	}
	return false
}

// SelectCoverage falls back on a device's coverage records where the runs say
// nothing (HL-17). Any other coverage from runs wins. No records are no proof,
// and neither is an empty outbox, which is not even asked.
func SelectCoverage(run Coverage, local *LocalCoverage) Coverage {
	run.Axis = run.Axis.known()
	if run.Axis != CoverageUnknown || local == nil || !local.Readable || len(local.Records) == 0 {
		return run
	}
	for i := range local.Records {
		if !local.Records[i].accounted() {
			return Coverage{Axis: CoverageGaps}
		}
	}
	return Coverage{Axis: CoverageComplete}
}
