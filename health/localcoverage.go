package health

// LocalCoverage holds a device's stored coverage records. A nil or unreadable
// LocalCoverage is no evidence.
type LocalCoverage struct {
	Readable bool          `json:"readable"`
	Records  []StoreRecord `json:"records"`
}

// StoreRecord is the result for one store on the device.
type StoreRecord struct {
	Store  string `json:"store"`
	Status Word   `json:"status"`
}

// Accounted reports whether the record holds a known result.
func (r *StoreRecord) Accounted() bool {
	switch r.Status {
	case "collected", "inventory_only", "excluded", "deferred", "missing", "unsupported":
		return true
	}
	return false
}

// SelectCoverage uses a device's coverage records if the runs give no evidence
// (HL-17). Any other coverage from runs wins. An empty list of records proves nothing;
// the outbox is not considered.
func SelectCoverage(run Coverage, local *LocalCoverage) Coverage {
	run.Axis = run.Axis.known()
	if run.Axis != CoverageUnknown || local == nil || !local.Readable || len(local.Records) == 0 {
		return run
	}
	for i := range local.Records {
		if !local.Records[i].Accounted() {
			return Coverage{Axis: CoverageGaps}
		}
	}
	return Coverage{Axis: CoverageComplete}
}
