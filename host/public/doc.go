// Package public has what this host knows of the connectors of the public implementation, and describes the records
// of a device that says nothing of its own.
//
// In: a connector's key, the manifest of the connector that is installed here, if one is, and the records as they come.
// Out: a manifest whose keys bind and whose schemas describe: a record is held to its key, and never to a type.
// The rules of one record are not here (host/boundary), nor what the store does with a manifest (storage/device).
package public
