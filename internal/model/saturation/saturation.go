// Package saturation defines at how many clients the rate of an application stops growing.
//
// Its assumptions: that is judged by the intervals of what was measured, not by a law fitted to four points;
// between two numbers of clients nothing is known; and an answer that is not certain is given as such.
package saturation

// Curve is one load of an application, measured with at least three numbers of clients.
type Curve struct {
	// Load describes what a transaction is.
	Load string `json:"load"`
	// Points are in the order of their clients.
	Points []Point `json:"points"`
	// From and To are the range of the number of clients within which the load saturates: any number
	// larger than To certainly brings little more, and one larger than From certainly more, or From is 0.
	// To is 0 if the load does not saturate, or if that is not certain.
	From int `json:"above,omitempty"`
	To   int `json:"saturated_with,omitempty"`
	// Says is the answer in a sentence.
	Says string `json:"says"`
}

// Point is a number of clients and the rate in transactions/s of all of them together.
type Point struct {
	Workload string `json:"workload"`
	Clients  int    `json:"clients"`
	// More is the rate with the largest number of clients divided by this one; Low and High are its 95 %
	// interval. They are 1 at the last point.
	More float64 `json:"more"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}
