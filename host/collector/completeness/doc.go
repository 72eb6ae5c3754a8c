// Package completeness gathers what a connector's records say of its source's stores, and
// reports which of them are accounted for (LC-05.2).
package completeness
