package profile

// alive reports whether a process runs. Browsers leave no link there, and hold the files that they use.
func alive(int) bool { return true }
