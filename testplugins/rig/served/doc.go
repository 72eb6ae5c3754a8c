// Package served sets up a host that serves a data folder of its own, with guests in its
// plugins folder, for tests of what an owner does by a face.
package served
