package session

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/ask/target"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/plan/command"
	"github.com/loadline/loadline/internal/plan/profile"
)

// Permission is what the user who repeats an experiment from a file permits: a file may come from anywhere,
// so it permits nothing by itself.
type Permission struct {
	// Typed are the targets that the user named beside the file.
	Typed []string
	// Programs permits what can start programs: scripts, settings and images of an application.
	Programs bool
	// FSGroup permits the cluster to change group and mode of all files in an existing claim.
	FSGroup bool
}

// Permit refuses an experiment of a file that is incomplete, or that needs more than the user permits; what
// may be overwritten is what the places permit, whatever the file says.
func (o *Places) Permit(exp *model.Experiment, file string, by Permission) error {
	if err := checkComplete(*exp, file); err != nil {
		return err
	}
	if err := namedServers(*exp, by.Typed); err != nil {
		return err
	}
	if err := o.permitted(exp, by); err != nil {
		return err
	}
	return usesBaseline(*exp, file)
}

// usesBaseline refuses an experiment whose baseline would be ignored.
func usesBaseline(exp model.Experiment, file string) error {
	if _, known := command.OfScenario(exp.Scenario); !known || exp.Baseline == "" || Paired(exp) {
		return nil // what cannot be measured is refused elsewhere
	}
	return model.RefusedError(fmt.Sprintf("%s sets a baseline, which scenario: %s does not use", file, exp.Scenario),
		fmt.Sprintf("write scenario: %s in the file, or remove its baseline", scenarioWithBaseline(exp)))
}

// scenarioWithBaseline is the scenario that compares what this experiment measures with a baseline.
func scenarioWithBaseline(exp model.Experiment) string {
	if exp.App != nil {
		return profile.Comparison
	}
	return model.OnBaseline
}

// namedServers refuses an existing server that only an experiment file names: a file may come
// from anywhere, and the server would receive the user's password.
func namedServers(exp model.Experiment, typed []string) error {
	for _, name := range Targets(exp) {
		if !target.IsServer(name) || slices.Contains(typed, name) {
			continue
		}
		t, err := target.ParseServer(name)
		if err != nil {
			return err
		}
		return model.RefusedError(fmt.Sprintf("the experiment measures the server %s, which would receive your password, and a file alone cannot permit that", t.URI),
			"name it next to --experiment FILE: "+safetext.ShellWord(t.URI))
	}
	return nil
}

// maskedSecret matches the placeholders that MaskText substitutes for the credentials in a target.
var maskedSecret = regexp.MustCompile(`:PASSWORD@|[:&?](?:id|user|name|key|keyring|keyfile)=(?:ID|USER|NAME|KEY|KEYRING|KEYFILE)\b|=(?:PASSWORD|TOKEN|SECRET|KEY)\b`)

// checkComplete refuses an experiment that is incomplete, so that it cannot be repeated as it is.
func checkComplete(exp model.Experiment, file string) error {
	if Paired(exp) && exp.Target == exp.Baseline {
		return model.RefusedError(file+" is the baseline's part of a comparison", "name the folder of the comparison, which holds both")
	}
	for _, target := range Targets(exp) {
		if maskedSecret.MatchString(target) {
			return model.RefusedError(fmt.Sprintf("the target %s was saved without its secret", target),
				"name the target beside --experiment FILE, with its secret")
		}
	}
	return nil
}

// customPrograms names the part of an application request that can start programs: a script (by
// pgbench's \shell, or COPY … TO PROGRAM), settings of the server (archive_command, or a
// library to load), or the server itself. It returns "" if there is none.
func customPrograms(app *model.AppRequest) string {
	var has []string
	if app.Ask.Script != "" {
		has = append(has, "a script of its own")
	}
	if len(app.Set) > 0 {
		has = append(has, "settings of its own")
	}
	if app.Program != "" {
		has = append(has, "a server's program of its own")
	}
	if app.Image != "" {
		has = append(has, "an image of its own")
	}
	return strings.Join(has, " and ")
}

// permitted ensures that user data is changed, and programs are started, only if the command line permits it. It
// replaces the file's permission to overwrite by that of the command line.
func (o *Places) permitted(exp *model.Experiment, by Permission) error {
	for _, name := range usedPlaces(*exp) {
		t, err := ParseTarget(name)
		if err == nil && t.Kind == model.VolumeClaim && exp.Place.FSGroup != "" && !by.FSGroup {
			return model.RefusedError(fmt.Sprintf("the experiment makes the cluster permanently change group and mode of every file in %s, and a file alone cannot permit that", name),
				"permit it here: --fs-group "+safetext.ShellWord(exp.Place.FSGroup))
		}
	}
	if app := exp.App; app != nil {
		known, err := Applications().Lookup(app.Name)
		if err != nil {
			return err
		}
		if err := known.CheckRequest(*app); err != nil {
			return err
		}
		if err := known.CheckOptions(app.Ask.Options); err != nil {
			return err
		}
		if has := customPrograms(app); has != "" && !by.Programs {
			return model.RefusedError(fmt.Sprintf("the experiment has %s, which can start programs on this machine or in the cluster, and a file alone cannot permit that", has),
				"read them in the file first, and if you trust them, permit them here: --allow-programs")
		}
	}
	was := exp.DestroyDataOn
	exp.DestroyDataOn = o.DestroyOn(exp.Target)
	if was == "" || exp.DestroyDataOn != "" {
		return nil
	}
	if t, err := ParseTarget(was); err == nil && t.Cluster.Made() {
		return nil
	}
	return model.RefusedError(fmt.Sprintf("the experiment overwrites %s, and a file alone cannot permit that", was), "permit it here: --destroy-data-on "+safetext.ShellWord(was))
}
