// Package probe answers what watches over a server: does the process live, and can it do
// its work (OC-11). It knows no store: what there is to check is handed in.
package probe
