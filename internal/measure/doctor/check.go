package doctor

// Mark is the outcome of a check.
type Mark int

// Good means no problem, Fair that the numbers may be less precise, Bad that measuring is not
// possible.
const (
	Good Mark = iota
	Fair
	Bad
)

// MarshalText returns the mark as it appears in a document: "passed", "warning" or "failed".
func (m Mark) MarshalText() ([]byte, error) {
	return []byte([]string{"passed", "warning", "failed"}[m]), nil
}

// Check is one line of the doctor's output.
type Check struct {
	Mark Mark   `json:"outcome"`
	Name string `json:"name"`
	Says string `json:"message"`
	// Fix says what to do about it; empty if the mark is Good.
	Fix string `json:"next,omitempty"`
}

// Schema is the schema name of an Examination.
const Schema = "loadline.doctor/v1"

// Examination is the result of examining a machine and a target on it. Its JSON form is described by
// docs/doctor.schema.json.
type Examination struct {
	Schema string `json:"schema"`
	// Host is the machine's name, Target the absolute path of the target.
	Host   string `json:"host"`
	Target string `json:"target"`
	// Outcome is the worst mark of the checks.
	Outcome Mark    `json:"outcome"`
	Checks  []Check `json:"checks"`
}
