package plugin

import "fmt"

// sizeText writes a limit in an owner's way: in the largest unit, binary or decimal,
// that divides it.
func sizeText(n int64) string {
	for _, u := range []struct {
		size int64
		name string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1e9, "GB"}, {1e6, "MB"}, {1 << 10, "KiB"}, {1e3, "kB"}} {
		if n >= u.size && n%u.size == 0 {
			return fmt.Sprintf("%d %s", n/u.size, u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}
