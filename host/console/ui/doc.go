// Package ui has the parts that pages are made of: the frame with its navigation, the pill of
// a verdict, buttons, forms, times and numbers, and pictures drawn as SVG. A part shows what it
// is given and asks nothing.
package ui
