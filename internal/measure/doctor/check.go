package doctor

// Mark is how a check came out.
type Mark int

// Good is as it should be, Fair may blur the numbers, Bad keeps from measuring.
const (
	Good Mark = iota
	Fair
	Bad
)

// MarshalText is the mark in a document: "passed", "warning" or "failed".
func (m Mark) MarshalText() ([]byte, error) {
	return []byte([]string{"passed", "warning", "failed"}[m]), nil
}

// Check is one line of the doctor's.
type Check struct {
	Mark Mark   `json:"outcome"`
	Name string `json:"name"`
	Says string `json:"message"`
	// Fix tells what to do about it; empty when good.
	Fix string `json:"next,omitempty"`
}

// Schema is the schema name of an Examination.
const Schema = "loadline.doctor/v1"

// Examination is what was found of a machine and a place on it. Its JSON form is described by
// docs/doctor.schema.json.
type Examination struct {
	Schema string `json:"schema"`
	// Host is the machine's name, Target the place, by its absolute path.
	Host   string `json:"host"`
	Target string `json:"target"`
	// Outcome is the worst of the checks'.
	Outcome Mark    `json:"outcome"`
	Checks  []Check `json:"checks"`
}
