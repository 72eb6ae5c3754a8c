// Package spawn holds the parts of starting and ending a worker process that differ
// from one system to another: the attributes of the new process, the descriptors that
// it inherits, the size of its pipe, and the way to end it with its children.
//
// host/plugin calls it for each worker, and the worker for its own pipes. It knows no
// guest, no module and no frame.
package spawn
