// Package wall is the way out of a browser: a proxy on the loopback address that the browser
// is told to use for everything. It tunnels TLS to port 443 of hosts that its port Dialer
// connects to, and refuses and counts the rest (BR-08).
//
// In: CONNECT requests with this wall's own random name and password, which no other program
// of the machine knows. Out: bytes as they are. The wall sees host names and how a browser
// greets a server, by which it knows WebSockets, and never what is sent. Which hosts and
// addresses are reached is decided by the Dialer.
package wall
