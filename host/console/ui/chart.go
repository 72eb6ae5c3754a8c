package ui

import (
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/host/console/words"
)

// Chart is a count over time.
type Chart struct{ Points []Point }

// Point is a count at a time since the beginning.
type Point struct {
	At time.Duration
	N  int64
}

// The size of a chart.
const (
	chartWidth  = 720
	chartHeight = 80
	leastPoints = 3
	mostPoints  = 200
)

// Tells reports whether there is enough to draw.
func (c *Chart) Tells() bool { return len(c.Points) >= leastPoints && c.last().At > 0 }

func (c *Chart) last() Point { return c.Points[len(c.Points)-1] }

// Label says the chart in words.
func (c *Chart) Label() string { return words.Growth(c.last().N, c.last().At) }

// area is the chart's outline, from the ground to the ground.
func (c *Chart) area() string {
	most, end := int64(1), c.last().At
	for _, p := range c.Points {
		most = max(most, p.N)
	}
	every := max(1, len(c.Points)/mostPoints)
	var b strings.Builder
	b.WriteString("M0 " + tenth(chartHeight))
	for i, p := range slices.All(c.Points) {
		if i%every != 0 && i != len(c.Points)-1 {
			continue
		}
		x := float64(chartWidth) * float64(p.At) / float64(end)
		b.WriteString("L" + tenth(min(x, chartWidth)) + " " + tenth(chartHeight-(chartHeight-4)*float64(p.N)/float64(most)))
	}
	b.WriteString("L" + tenth(chartWidth) + " " + tenth(chartHeight) + "z")
	return b.String()
}

// Part is one part of a stacked track.
type Part struct {
	Class string
	N     int64
}

// stack lays parts end to end, as shares of whole, over a width.
func stack(parts []Part, whole int64, width float64) (rects []rect) {
	at := 0.0
	for _, p := range parts {
		if p.N <= 0 || whole <= 0 {
			continue
		}
		w := width * float64(p.N) / float64(whole)
		rects = append(rects, rect{p.Class, tenth(at), tenth(max(1, w))})
		at += w
	}
	return rects
}

type rect struct{ class, x, width string }
