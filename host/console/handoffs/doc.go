// Package handoffs has the page on which an owner acts on a page of a run's browser (BR-15), and
// what leads there. Its script is assets/static/handoff.js: it draws the newest frame and sends
// what the owner does, by the routes of host/api/ownerapi. Without scripts the page says so, and
// its forms answer or decline the question all the same.
package handoffs
