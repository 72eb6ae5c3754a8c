// Package serve has the command that runs connections when they are due. It writes the
// log and what a pass came to, and opens the address that devices deliver to;
// host/owner/serving serves.
package serve
