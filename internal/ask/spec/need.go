package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/sizing"
	"github.com/loadline/loadline/internal/model/units"
)

// needForm says how to write a need.
const needForm = "write it like 'pods=20 rand-read=400 rand-write=150 bs=4k', or 'pods=2 seq-read=60MiB/s'"

const (
	maxPods = 10_000_000
	// The default block size of a flow is 4k if its rate is in I/Os, and 128k if it is in bytes.
	needBlock     = 4 << 10
	needBandBlock = 128 << 10
)

// flowKeys are the kinds of I/O that a need may include.
var flowKeys = []string{"rand-read", "rand-write", "seq-read", "seq-write"}

// needKeys are all keys that a need may have.
var needKeys = append([]string{"pods", "bs", "size", "merge"}, flowKeys...)

// ParseNeed parses "pods=20 rand-read=400 rand-write=150 bs=4k". A rate is per pod, in I/Os per second,
// or in bytes per second if written as 60MiB/s.
func ParseNeed(text string) (sizing.Need, error) {
	refuse := func(hint, format string, args ...any) (sizing.Need, error) {
		return sizing.Need{}, model.RefusedError(fmt.Sprintf("--need %q: ", text)+fmt.Sprintf(format, args...), hint)
	}
	values := map[string]string{}
	for _, word := range strings.Fields(text) {
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			return refuse(needForm, "%q has no =", word)
		}
		if !slices.Contains(needKeys, key) {
			message, hint := unknown("word", key, needKeys)
			return refuse(hint, "%s", message)
		}
		if _, twice := values[key]; twice {
			return refuse("", "%s is given twice", key)
		}
		values[key] = value
	}
	n, field, err := needOf(values)
	if err != nil {
		return refuse(needForm, "%s: %v", field, err)
	}
	n.Text = strings.Join(strings.Fields(text), " ")
	return n, nil
}

// needOf converts keys and values into a need; field is the invalid one, if any.
func needOf(values map[string]string) (n sizing.Need, field string, err error) {
	n.Pods = 1
	if v, ok := values["pods"]; ok {
		pods, err := units.ParseWhole(v)
		if err != nil || pods < 1 || pods > maxPods {
			return n, "pods", fmt.Errorf("%q is not a number of pods from 1 to %d%s", v, maxPods, units.Plainly(err))
		}
		n.Pods = int(pods)
	}
	block, err := sizeOf(values["bs"])
	if err != nil {
		return n, "bs", err
	}
	if block > maxBlock {
		return n, "bs", fmt.Errorf("%q is more than 1 GiB", values["bs"])
	}
	if n.Size, err = sizeOf(values["size"]); err != nil {
		return n, "size", err
	}
	merge := 0.0
	if v, ok := values["merge"]; ok {
		if merge, err = units.ParseDecimal(v); err != nil || !(merge >= 1 && merge <= 1024) {
			return n, "merge", fmt.Errorf("%q is not a number of I/Os from 1 to 1024 that become one%s", v, units.Plainly(err))
		}
	}
	for _, key := range flowKeys {
		v, ok := values[key]
		if !ok {
			continue
		}
		access, direction, _ := strings.Cut(key, "-")
		f := sizing.Flow{Access: model.Access(access), Direction: model.Direction(direction), BlockSize: block}
		if f.Access == model.Sequential {
			f.Merge = merge
		}
		if err := flowRate(&f, v); err != nil {
			return n, key, err
		}
		n.Flows = append(n.Flows, f)
	}
	if len(n.Flows) == 0 {
		return n, "rate", fmt.Errorf("it asks for no I/O")
	}
	return n, "", nil
}

// flowRate parses a rate in I/Os or bytes per second.
func flowRate(f *sizing.Flow, v string) error {
	if ios, ok := parseCount(v); ok {
		f.Rate = ios
		if f.BlockSize == 0 {
			f.BlockSize = needBlock
		}
		return nil
	}
	if bare, err := units.ParseDecimal(v); err == nil && !(bare > 0) {
		return fmt.Errorf("a rate of %s makes no sense: it must be larger than 0", v)
	}
	if err := units.CheckLead(v); err != nil {
		return fmt.Errorf("%q is not a rate%s", v, units.Plainly(err))
	}
	if !strings.HasSuffix(v, "/s") {
		return fmt.Errorf("%q is not a rate: write 400 or 4k for I/Os per second, or 60MiB/s", v)
	}
	bytes, err := parseBandwidth(v)
	if err != nil {
		return err
	}
	if f.BlockSize == 0 {
		f.BlockSize = needBandBlock
	}
	f.Rate = bytes / float64(f.BlockSize)
	return nil
}

// sizeOf parses a positive size; "" is 0.
func sizeOf(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	n, err := units.ParseSize(s)
	if err == nil && n <= 0 {
		err = fmt.Errorf("%q must be larger than 0", s)
	}
	return n, err
}

// ReadNeeds adds to ask the needs that the user wrote, and those of a file; "" means no file.
func ReadNeeds(read func(string) ([]byte, error), needs []string, file string, ask sizing.Ask) (sizing.Ask, error) {
	for _, text := range needs {
		n, err := ParseNeed(text)
		if err != nil {
			return ask, err
		}
		ask.Needs = append(ask.Needs, n)
	}
	if file == "" {
		return ask, nil
	}
	data, err := Read(read, "--needs", file)
	if err != nil {
		return ask, err
	}
	return ParseNeeds(file, data, ask)
}

// ParseNeeds parses a file of needs: a list of needs in the form of ParseNeed, how many nodes may fail,
// and the fraction of each resource to keep free. Whatever the file omits is left as in ask.
func ParseNeeds(file string, data []byte, ask sizing.Ask) (sizing.Ask, error) {
	d, root := open(file, data)
	o := d.object(root, "a file of needs", []string{"survive", "headroom", "nodes", "needs"})
	o.require("needs", "list at least one need")
	if o.has("survive") {
		ask.Survive = int(o.whole("survive", 0, maxVolumes))
	}
	if o.has("nodes") {
		ask.Nodes = int(o.whole("nodes", 1, maxVolumes))
	}
	if o.has("headroom") {
		ask.Headroom = o.share("headroom")
	}
	for _, item := range o.list("needs") {
		ask.Needs = append(ask.Needs, needItem(d, item))
	}
	if o.has("needs") && len(ask.Needs) == 0 {
		o.fail("needs", "list at least one need", "a file without needs asks nothing")
	}
	return ask, d.err
}

func needItem(d *document, item ast.Node) sizing.Need {
	o := d.object(item, "a need", needKeys)
	values := map[string]string{}
	var words []string
	for _, key := range needKeys {
		if o.has(key) {
			values[key] = o.text(key)
			words = append(words, key+"="+values[key])
		}
	}
	n, field, err := needOf(values)
	if err != nil && d.err == nil {
		if o.has(field) {
			o.fail(field, "", "%s: %v", field, err)
		} else {
			d.fail(o.at, needForm, "%v", err)
		}
	}
	n.Text = strings.Join(words, " ")
	return n
}
