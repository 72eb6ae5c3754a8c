// Package artifact keeps artifacts in a store as a device brings them, and spells the
// references of records to them.
package artifact
