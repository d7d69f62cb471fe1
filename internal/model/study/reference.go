package study

import "github.com/loadline/loadline/internal/model"

// Reference is a reference report: a description of a system, how it was measured, what each workload
// reached and why, and the answers to common questions. It is a structured document, so that every
// output format says the same.
type Reference struct {
	Schema string `json:"schema"`
	Title  string `json:"title"`
	// Sources names the runs and files on which it is based.
	Sources  []string  `json:"sources"`
	Chapters []Chapter `json:"chapters"`
}

// ReferenceSchema is the schema name of a reference report.
const ReferenceSchema = "loadline.reference/v1"

// Chapter is a chapter, or with Level 2 a section of the preceding chapter.
type Chapter struct {
	// ID is unique in the document: letters, digits and dashes.
	ID    string `json:"id"`
	Title string `json:"title"`
	Level int    `json:"level"`
	// Missing is a sentence saying what was not measured, and is empty otherwise.
	Missing string `json:"missing,omitempty"`
	Parts   []Part `json:"parts,omitempty"`
}

// Part is a paragraph, a list, a table, or the points of a scale with their laws: exactly one is set.
type Part struct {
	Text  string       `json:"text,omitempty"`
	Items []string     `json:"items,omitempty"`
	Table *Grid        `json:"table,omitempty"`
	Scale *model.Scale `json:"scale,omitempty"`
}

// Grid is a table of text. Numeric says which columns hold figures.
type Grid struct {
	Titles  []string   `json:"titles"`
	Numeric []bool     `json:"numeric"`
	Rows    [][]string `json:"rows"`
}
