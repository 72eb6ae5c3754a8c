package spawn

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// Resident returns the memory of a process that is resident now, in bytes.
func Resident(pid int) (n int64, known bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, false
	}
	f := bytes.Fields(text)
	if len(f) < 2 {
		return 0, false
	}
	pages, err := strconv.ParseInt(string(f[1]), 10, 64)
	return pages * int64(os.Getpagesize()), err == nil
}
