// Package console has no code of its own. Its tests are the stories of the console (OC-17):
// an owner's browser, driven by package browser, over the built program that package bed
// serves, with real connectors, real runs and simulated providers. Each story is told twice,
// with the pages' scripts and without them.
//
// Beside the stories it holds every page to what none may break: its policy (OC-07), what
// axe-core finds, the keyboard, a narrow window (OC-13), and whoever means harm (OC-05, OC-08).
package console
