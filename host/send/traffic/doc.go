// Package traffic counts what the governors of all runs of a process do, by provider: requests,
// refusals, and the time that requests were held back. It keeps nothing of a request, and has
// no more than Most providers, whatever names manifests bring.
package traffic
