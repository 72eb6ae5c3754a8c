// Command bench measures the figures of docs/performance.md on the machine it runs on:
// whole processes, alternating with their comparisons, with an A/A control beside each
// pair, medians and ratios. It builds everything it needs and prints one Markdown table
// a figure. See -h for choosing figures.
package main
