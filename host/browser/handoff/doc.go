// Package handoff is how an owner acts on a page of a run's browser (BR-15): who looks on, with
// what right, what is shown, what may be done there, and how that ends. A Registry has the
// hand-offs of one process, each under the id of the question that its run has asked.
//
// It knows no browser: a Surface is one, and carries out what has passed here. It writes nothing
// of what is shown and typed. Frames lie in two buffers of each view, which are cleared at its end.
package handoff
