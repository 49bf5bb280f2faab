// Package lab has the statistics that measurements of models share: confidence intervals of rates,
// and quantiles. The measurements are in the packages below it.
package lab

import (
	"math"
	"slices"
	"strconv"
)

// z95 is the normal distribution's quantile for an interval of 95%.
const z95 = 1.959963984540054

// Rate is a share that was seen, with its 95% interval.
type Rate struct {
	Share float64 `json:"share"` // of the trials
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// NewRate returns the rate of hits among n trials. Its interval is after E. B. Wilson, "Probable
// Inference, the Law of Succession, and Statistical Inference" (1927). Without trials it is 0 to 1.
func NewRate(hits, n int) Rate {
	if n <= 0 {
		return Rate{High: 1}
	}
	count, share := float64(n), float64(hits)/float64(n)
	z2 := z95 * z95 / count
	middle := (share + z2/2) / (1 + z2)
	half := z95 / (1 + z2) * math.Sqrt(share*(1-share)/count+z2/(4*count))
	return Rate{share, max(middle-half, 0), min(middle+half, 1)}
}

// Quantile returns the value below which the share q, 0 to 1, of the values lies, interpolated
// between neighbours, or 0 without values. It does not change values.
func Quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	at := q * float64(len(sorted)-1)
	low, part := math.Modf(at)
	i := int(low)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + part*(sorted[i+1]-sorted[i])
}

// Median returns the middle value, or 0 without values.
func Median(values []float64) float64 { return Quantile(values, 0.5) }

// Percent is a share as people read it.
func Percent(share float64) string { return strconv.Itoa(int(math.Round(100*share))) + "%" }
