// Package devices holds what an owner does about the collectors on other machines that
// deliver here: invite one, list them, accept what their connectors add, revoke one.
package devices
