package doctor

// Mark is how a check came out.
type Mark int

// Good is as it should be, Fair may blur the numbers, Bad keeps from measuring.
const (
	Good Mark = iota
	Fair
	Bad
)

// Check is one line of the doctor's.
type Check struct {
	Mark Mark
	Name string
	Says string
	// Fix tells what to do about it; empty when good.
	Fix string
}
