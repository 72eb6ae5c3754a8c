// Package devices has the pages of devices: the list, one device, and an invitation.
package devices
