// Command bench measures the figures of docs/performance.md on the machine it
// runs on: whole processes, alternating with what they are held against, with
// an A/A control beside each pair, medians and ratios. It builds what it needs
// and prints one Markdown table a figure. See -h for choosing figures.
package main
