package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// jobOption is one line of a job file.
type jobOption struct {
	// key is fio's own name of the option, aliases resolved.
	key, value string
	// bare is set if the option has no value.
	bare bool
	line int
}

func (o jobOption) String() string {
	if o.bare {
		return o.key
	}
	return o.key + "=" + o.value
}

// jobSection is one job: the options of the [global] sections before it, then its own.
type jobSection struct {
	name    string
	line    int
	options []jobOption
}

// ParseJob parses a user's own fio job file: each section except [global] becomes a workload named
// after it (see sanitize), with its merged options as job text and a description for display in tables.
// Options determined by TARGET and the plan (see JobReplacements) are removed from the text; options
// that would measure something other than the target are refused. Whether the options are valid is left
// to fio.
func ParseJob(file string, data []byte) ([]model.Workload, error) {
	f, err := parseJobFile(file, data)
	if err != nil {
		return nil, err
	}
	lines := map[string]int{}
	var workloads []model.Workload
	for _, section := range f.sections {
		name := sanitize(section.name)
		if name == "" {
			return nil, f.fail(section.line, "name it with letters or digits: results are listed by it", "this job has no name to list its results by")
		}
		if lines[name] > 0 {
			return nil, f.fail(section.line, "rename one of them: results are listed by these names",
				"the job in line %d is named %q too", lines[name], name)
		}
		lines[name] = section.line
		w, err := f.describe(section)
		if err != nil {
			return nil, err
		}
		w.Name = name
		workloads = append(workloads, w)
	}
	return workloads, nil
}

// JobReplacements returns, in the order of the file, the options that ParseJob removes because Loadline
// determines them: where to measure, how long, and what is recorded. It is empty for a file that
// ParseJob refuses.
func JobReplacements(file string, data []byte) []string {
	f, err := parseJobFile(file, data)
	if err != nil {
		return nil
	}
	return f.replaced
}

// jobFile is a parsed job file.
type jobFile struct {
	file     string
	lines    []string
	sections []jobSection
	replaced []string
}

// fail returns an error for a line.
func (f *jobFile) fail(line int, hint, format string, args ...any) error {
	return pointedError(f.file, f.lines, line, 0, hint, fmt.Sprintf(format, args...))
}

// parseJobFile follows fio's parser (init.c, __parse_jobs_ini): ';' and '#' begin a comment anywhere in
// a line, and a [global] section applies to the sections after it.
func parseJobFile(file string, data []byte) (*jobFile, error) {
	text := strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n")
	f := &jobFile{file: file, lines: strings.Split(text, "\n")}
	if len(text) > maxFile {
		return nil, tooLarge(file, maxFile)
	}
	if strings.ContainsRune(text, 0) {
		return nil, model.RefusedError(file+" is not a text file", "")
	}
	var global []jobOption
	var current *[]jobOption
	for i, raw := range f.lines {
		line, _, _ := strings.Cut(raw, ";")
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case line[0] == '[':
			name, found := strings.CutSuffix(line[1:], "]")
			if !found {
				return nil, f.fail(i+1, "write [name] on a line of its own", "this section's name has no closing bracket")
			}
			if strings.EqualFold(strings.TrimSpace(name), "global") {
				current = &global
				continue
			}
			f.sections = append(f.sections, jobSection{name: name, line: i + 1, options: slices.Clone(global)})
			current = &f.sections[len(f.sections)-1].options
		case current == nil:
			return nil, f.fail(i+1, "begin the file with [global] or with a job's [name]", "this option is outside of any section")
		default:
			if err := f.add(current, i+1, line); err != nil {
				return nil, err
			}
		}
	}
	if len(f.sections) == 0 {
		return nil, model.RefusedError(file+" has no job: a section with a name other than [global]", "add a section such as [random-read]")
	}
	return f, nil
}

// add adds an option to a section; a later one of the same name replaces it.
func (f *jobFile) add(section *[]jobOption, line int, text string) error {
	key, value, assigned := strings.Cut(text, "=")
	o := jobOption{key: strings.TrimSpace(key), value: strings.TrimSpace(value), bare: !assigned, line: line}
	if alias, ok := jobAliases[o.key]; ok {
		o.key = alias
	}
	if o.key == "" || strings.HasPrefix(o.key, "include ") || o.key == "include" {
		return f.fail(line, "write the options here", "this is not an option: Loadline reads one file, of lines such as rw=randread")
	}
	if why := refusedOption(o); why != "" {
		return f.fail(line, "remove this line", "%s: %s", o, why)
	}
	if replacedOptions[o.key] {
		if !slices.Contains(f.replaced, o.key) {
			f.replaced = append(f.replaced, o.key)
		}
		return nil
	}
	*section = slices.DeleteFunc(*section, func(old jobOption) bool { return old.key == o.key })
	*section = append(*section, o)
	return nil
}

// text returns the merged option lines of a section.
func (s jobSection) text() string {
	lines := make([]string, len(s.options))
	for i, o := range s.options {
		lines[i] = o.String()
	}
	return strings.Join(lines, "\n")
}

// sanitize converts a section's name into a workload's name: lower-case letters, digits, '.', '_' and
// '-', with a dash for each run of other characters. "" if nothing is left.
func sanitize(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '_' {
			b.WriteRune(r)
		} else if s := b.String(); s != "" && !strings.HasSuffix(s, "-") {
			b.WriteByte('-')
		}
	}
	s := strings.TrimLeft(b.String(), "._-")
	if len(s) > 64 {
		s = s[:64]
	}
	return strings.TrimRight(s, "-")
}
