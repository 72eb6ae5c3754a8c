// Package status has the command that shows how the connections are and what there is
// to do. It shows the fields of the verdict that host/owner returns, and decides nothing.
package status
