// Package sites has simulated sites for connectors that use a browser: a shop with a password, a
// code, sessions, lists, details, files and faults, and Reddit with one account. They are https
// servers on this machine, which a test's browser reaches under the names that they have in their
// connectors' manifests.
package sites
