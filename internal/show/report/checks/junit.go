package checks

import (
	"encoding/xml"
	"fmt"
	"io"
	"time"
)

// JUnitMark is the beginning of every file written by WriteJUnit.
const JUnitMark = xml.Header + `<testsuites name="loadline"`

// The elements of the JUnit format, as CI systems read them (the schema of Jenkins' xUnit plugin
// has no attribute that is not here or optional).
type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		junitCounts
		Suites []junitSuite
	}
	junitCounts struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
	}
	junitSuite struct {
		XMLName   xml.Name `xml:"testsuite"`
		Name      string   `xml:"name,attr"`
		Hostname  string   `xml:"hostname,attr,omitempty"`
		Timestamp string   `xml:"timestamp,attr,omitempty"`
		Time      string   `xml:"time,attr"`
		junitCounts
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		XMLName   xml.Name     `xml:"testcase"`
		Name      string       `xml:"name,attr"`
		ClassName string       `xml:"classname,attr"`
		Time      string       `xml:"time,attr,omitempty"`
		Failure   *junitReason `xml:"failure"`
		Error     *junitReason `xml:"error"`
		Skipped   *junitReason `xml:"skipped"`
		Output    string       `xml:"system-out,omitempty"`
	}
	junitReason struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes the checks as JUnit XML: each is a test case, which is a failure if a
// requirement is not met, an error if a number cannot be trusted, and skipped if it is undecided.
// It fails only when w does.
func WriteJUnit(w io.Writer, suites []Suite) error {
	doc := junitSuites{Name: "loadline", junitCounts: junitCountsOf(suites...)}
	for _, s := range suites {
		one := junitSuite{Name: s.name, Hostname: shown(s.run.Environment.Hostname), junitCounts: junitCountsOf(s),
			Properties: []junitProperty{{"run", shown(s.run.ID)}, {"status", string(s.run.Status)}}}
		if began := s.run.Began(); !began.IsZero() {
			one.Timestamp = began.UTC().Format(time.RFC3339)
		}
		for _, name := range s.run.Labels.Names() {
			one.Properties = append(one.Properties, junitProperty{"label." + name, shown(s.run.Labels[name])})
		}
		for _, c := range s.checks {
			one.Cases = append(one.Cases, junitCaseOf(c))
		}
		one.Time = fmt.Sprintf("%.3f", s.elapsed)
		doc.Suites = append(doc.Suites, one)
	}
	data, err := xml.MarshalIndent(doc, "", "  ")
	if err != nil {
		return fmt.Errorf("the checks could not be written: %w", err)
	}
	_, err = io.WriteString(w, xml.Header+string(data)+"\n")
	return err
}

func junitCaseOf(c check) junitCase {
	one := junitCase{Name: c.name, ClassName: "loadline." + c.kind}
	if c.seconds > 0 {
		one.Time = fmt.Sprintf("%.3f", c.seconds)
	}
	reason := &junitReason{Message: c.message, Type: c.verdict}
	switch c.outcome {
	case failed:
		one.Failure = reason
	case broken:
		one.Error = reason
	case skipped:
		one.Skipped = &junitReason{Message: c.message}
	default:
		one.Output = c.message
	}
	return one
}

func junitCountsOf(suites ...Suite) junitCounts {
	n := counts(suites...)
	return junitCounts{Tests: n[passed] + n[failed] + n[broken] + n[skipped], Failures: n[failed], Errors: n[broken], Skipped: n[skipped]}
}
