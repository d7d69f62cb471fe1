package metrics

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/push"
	dto "github.com/prometheus/client_model/go"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/secrets"
	"github.com/loadline/loadline/internal/show/report/prom"
)

// Gateway is a Pushgateway and the grouping of a push: a push replaces what was pushed before for
// the same job and grouping.
type Gateway struct {
	base           string
	user, password string
	job            string
	// grouping are the labels in the address, in pairs; empty for the default grouping.
	grouping [][2]string
}

// pushTime is the timeout of a push.
const pushTime = 10 * time.Second

// longestAnswer limits how much of a gateway's response is shown, in bytes.
const longestAnswer = 200

// noBlanks replaces blanks in a grouping value: the client encodes them as plus signs, which a
// Pushgateway takes literally.
var noBlanks = strings.NewReplacer(" ", "_")

// gatewayPath is the path prefix of a Pushgateway's API.
const gatewayPath = "/metrics/job/"

// ParseGateway parses the address of a Pushgateway, such as http://gateway:9091, or with a custom
// grouping .../metrics/job/NAME/LABEL/VALUE. A user and a password may precede the host. The error
// is a refusal.
func ParseGateway(address string) (*Gateway, error) {
	refuse := func(why string) error {
		return model.RefusedError(fmt.Sprintf("%s is not a valid address of a Pushgateway: %s", secrets.MaskText(address), why), "write it like --push http://gateway:9091")
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		// The error contains the address, and therefore the password.
		return nil, refuse("it cannot be read as a URL")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, refuse("it does not begin with http:// or https://")
	case u.Hostname() == "":
		return nil, refuse("it names no host")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, refuse("it has a query or a fragment, which a Pushgateway does not know")
	}
	g := &Gateway{job: "loadline"}
	if u.User != nil {
		g.user = u.User.Username()
		g.password, _ = u.User.Password()
	}
	before, group, grouped := strings.Cut(strings.TrimSuffix(u.EscapedPath(), "/"), gatewayPath)
	g.base = u.Scheme + "://" + u.Host + strings.TrimSuffix(before, "/")
	if !grouped {
		return g, nil
	}
	parts := strings.Split(group, "/")
	for i := range parts {
		if parts[i], err = url.PathUnescape(parts[i]); err != nil || parts[i] == "" || strings.Contains(parts[i], "@base64") {
			return nil, refuse("behind /metrics/job/ stand a name, and pairs of a label and its value, none of them empty")
		}
	}
	if len(parts)%2 == 0 {
		return nil, refuse(fmt.Sprintf("the label %q has no value", parts[len(parts)-1]))
	}
	g.job = parts[0]
	taken := map[string]bool{}
	for _, m := range prom.Metrics {
		for _, name := range m.Labels {
			taken[name] = true
		}
	}
	for i := 1; i < len(parts); i += 2 {
		if taken[parts[i]] || parts[i] == "job" {
			return nil, refuse(fmt.Sprintf("%q is a label of the metrics themselves, so nothing can be grouped by it", parts[i]))
		}
		if _, err := model.ParseLabels([]string{parts[i] + "=x"}); err != nil {
			return nil, refuse(fmt.Sprintf("%q is not a valid label name", parts[i]))
		}
		if strings.Contains(parts[i+1], " ") {
			return nil, refuse(fmt.Sprintf("the value %q has a blank, which a Pushgateway would not get", parts[i+1]))
		}
		g.grouping = append(g.grouping, [2]string{parts[i], parts[i+1]})
	}
	return g, nil
}

// Name returns the gateway's address without secrets.
func (g *Gateway) Name() string { return g.base }

// Push sends the metrics of reports and comparisons, grouped by the instance unless the address
// names a grouping. The error is a sentence without secrets.
func (g *Gateway) Push(ctx context.Context, instance string, reports []*model.Report, comparisons []*model.Comparison) error {
	ctx, cancel := context.WithTimeout(ctx, pushTime)
	defer cancel()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		// Following a redirect would turn the push into a GET, or send the password to another
		// server.
		return http.ErrUseLastResponse
	}}
	defer client.CloseIdleConnections()
	p := push.New(g.base, g.job).Client(client).Gatherer(prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) { return prom.Families(reports, comparisons), nil }))
	if g.user != "" || g.password != "" {
		p.BasicAuth(g.user, g.password)
	}
	if g.grouping == nil {
		p.Grouping("instance", noBlanks.Replace(safetext.Clean(instance)))
	}
	for _, pair := range g.grouping {
		p.Grouping(pair[0], pair[1])
	}
	err := p.PushContext(ctx)
	if err == nil {
		return nil
	}
	why := err.Error()
	if g.password != "" {
		why = strings.ReplaceAll(why, g.password, "PASSWORD")
	}
	why = safetext.Clean(secrets.MaskText(why))
	if ctx.Err() != nil {
		why = fmt.Sprintf("no answer within %s", pushTime)
	}
	if len(why) > longestAnswer {
		why = strings.ToValidUTF8(why[:longestAnswer], "") + "…"
	}
	return model.BrokenError(fmt.Sprintf("the metrics could not be pushed to %s, and the results are saved: %s", g.base, why), reporting(reports, comparisons).String()+" writes the same metrics")
}

// reporting returns the command that writes the metrics of what was measured.
func reporting(reports []*model.Report, comparisons []*model.Comparison) model.CommandLine {
	command := model.CommandLine{"loadline", "report"}
	for _, c := range comparisons {
		if c.Directory == "" {
			// Its runs were measured one by one, and are compared in this order.
			command = append(command, c.A.Directory, c.B.Directory)
			continue
		}
		command = append(command, c.Directory)
	}
	if len(comparisons) == 0 {
		for _, r := range reports {
			command = append(command, r.Run.Directory)
		}
	}
	return append(command, "--format", "prometheus")
}
