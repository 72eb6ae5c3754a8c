// Package overview has the page that answers first: what needs the owner, how each connection
// is, and the fleet's counts. It shows a verdict's attention layer and nothing mechanical
// (HL-27).
package overview
