package spec

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Setting is the value that a configuration file gives a flag.
type Setting struct {
	// Command is the command to which it applies; "" means every command that has the flag.
	Command, Flag string
	// Values has several elements for a flag that takes a list, else one.
	Values []string
	// Line and Column are the position of the flag in the file, from 1 on.
	Line, Column int
}

// Settable defines what a configuration file may contain.
type Settable struct {
	// Flags are the flags that may be set.
	Flags []string
	// Commands are the commands that may have their own values, each with its flags.
	Commands map[string][]string
	// Refused are flags that exist but may not be set, for which Check gives the reason.
	Refused []string
	// Check validates a value, and rejects flags that may not be set: it returns what is wrong ("" if
	// nothing is) and what to do instead.
	Check func(command, flag string, values []string) (message, hint string)
	// Together finds settings that contradict each other although each is valid: it returns the index of the one to refuse, what
	// is wrong ("" if nothing is) and what to do instead. It may be nil.
	Together func(settings []Setting) (refused int, message, hint string)
}

// commandsField is the field with the values for individual commands.
const commandsField = "commands"

// ParseSettings parses a configuration file: flags with their values, and below "commands" those of
// individual commands. A file with only comments is valid and has no settings.
func ParseSettings(file string, data []byte, may Settable) ([]Setting, error) {
	if blank(data) {
		return nil, nil
	}
	d, root := open(file, data)
	d.refuseCommands(root, may)
	top := d.objectWith(root, "a configuration", append(slices.Clone(may.Flags), commandsField), may.Refused)
	settings := top.settingsOf("", may)
	sections := map[string]*object{"": top}
	names := slices.Sorted(maps.Keys(may.Commands))
	if top.has(commandsField) {
		commands := top.object(commandsField, "commands", names)
		for _, name := range names {
			if commands.has(name) {
				sections[name] = commands.objectWith(name, name, may.Commands[name], may.Refused)
				settings = append(settings, sections[name].settingsOf(name, may)...)
			}
		}
	}
	if d.err == nil && may.Together != nil {
		if i, message, hint := may.Together(settings); message != "" {
			sections[settings[i].Command].fail(settings[i].Flag, hint, "%s", message)
		}
	}
	if d.err != nil {
		return nil, d.err
	}
	return settings, nil
}

// refuseCommands refuses fields for a command that are not below commandsField. The name of a command may be that of a flag as well.
func (d *document) refuseCommands(root ast.Node, may Settable) {
	var pairs []*ast.MappingValueNode
	switch n := root.(type) {
	case *ast.MappingNode:
		pairs = n.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{n}
	}
	for _, pair := range pairs {
		key := pair.Key.GetToken()
		switch pair.Value.(type) {
		case *ast.MappingNode, *ast.MappingValueNode:
			if _, command := may.Commands[key.Value]; command {
				d.fail(key, fmt.Sprintf("write \"%s:\" in a line of its own before it, and indent this line and those below it", commandsField), "%q is a command, whose flags are written below %q", key.Value, commandsField)
			}
		}
	}
}

// blank reports whether a file contains only comments.
func blank(data []byte) bool {
	for _, line := range strings.Split(strings.TrimPrefix(string(data), "\ufeff"), "\n") {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return false
		}
	}
	return true
}

// settingsOf returns the settings of a mapping, in the order of the file.
func (o *object) settingsOf(command string, may Settable) (list []Setting) {
	for flag, key := range o.keys {
		if command == "" && flag == commandsField {
			continue
		}
		s := Setting{Command: command, Flag: flag, Line: key.Position.Line, Column: key.Position.Column}
		switch o.values[flag].(type) {
		case *ast.SequenceNode:
			s.Values = o.texts(flag)
		default:
			s.Values = []string{o.text(flag)}
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b Setting) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)) })
	for _, s := range list {
		message, hint := may.Check(command, s.Flag, s.Values)
		if message == "" {
			continue
		}
		if items, several := o.values[s.Flag].(*ast.SequenceNode); several {
			for i, item := range items.Values {
				if message, hint := may.Check(command, s.Flag, s.Values[i:i+1]); message != "" {
					o.doc.fail(item.GetToken(), hint, "%s", message) // the first is kept
				}
			}
		}
		o.fail(s.Flag, hint, "%s", message)
	}
	return list
}
