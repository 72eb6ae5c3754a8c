package devices

import "github.com/pdpp-host/pdpp-host/host/owner/devices"

// offered reports whether a device waits for the owner to accept streams.
func offered(d *devices.Detail) bool {
	for i := range d.Sources {
		if len(d.Sources[i].Offered) > 0 {
			return true
		}
	}
	return false
}
