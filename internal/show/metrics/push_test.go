package metrics

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/reporttest"
)

// pushed is what a gateway received.
type pushed struct {
	method, path, user, password string
	families                     map[string]*dto.MetricFamily
}

// gateway is an HTTP server that reads a push as a Pushgateway does, and responds.
func gateway(t *testing.T, status int, answer string) (*httptest.Server, *[]pushed) {
	t.Helper()
	var all []pushed
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := pushed{method: r.Method, path: r.URL.EscapedPath(), families: map[string]*dto.MetricFamily{}}
		p.user, p.password, _ = r.BasicAuth()
		for d := expfmt.NewDecoder(r.Body, expfmt.ResponseFormat(r.Header)); ; {
			var f dto.MetricFamily
			if d.Decode(&f) != nil {
				break
			}
			p.families[f.GetName()] = &f
		}
		all = append(all, p)
		if status == http.StatusFound {
			w.Header().Set("Location", "/elsewhere")
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(s.Close)
	return s, &all
}

func TestAPushIsWhatTheReportSays(t *testing.T) {
	s, got := gateway(t, http.StatusOK, "")
	for _, c := range []struct{ address, path string }{
		{s.URL, "/metrics/job/loadline/instance/vm:sc:fast"}, {s.URL + "/", "/metrics/job/loadline/instance/vm:sc:fast"},
		{s.URL + "/below", "/below/metrics/job/loadline/instance/vm:sc:fast"},
		{s.URL + "/metrics/job/nightly", "/metrics/job/nightly/instance/vm:sc:fast"},
		{s.URL + "/metrics/job/nightly/team/a%2Fb", "/metrics/job/nightly/team@base64/YS9i"},
	} {
		*got = nil
		g, err := ParseGateway(strings.Replace(c.address, "://", "://me:hunter2@", 1))
		if err != nil {
			t.Fatal(err)
		}
		r := reporttest.Report("quick")
		r.Run.Labels = model.Labels{"env": "staging"}
		if err := g.Push(t.Context(), "vm:sc:fast", []*model.Report{r}, []*model.Comparison{reporttest.Comparisons()["comparison"]}); err != nil {
			t.Fatal(err)
		}
		if len(*got) != 1 {
			t.Fatalf("%d pushes", len(*got))
		}
		p := (*got)[0]
		if p.method != http.MethodPut || strings.ReplaceAll(p.path, "%3A", ":") != c.path || p.user != "me" || p.password != "hunter2" {
			t.Errorf("%s %s by %s:%s, want %s", p.method, p.path, p.user, p.password, c.path)
		}
		if strings.Contains(g.Name(), "hunter2") {
			t.Errorf("its name is %s", g.Name())
		}
		rate := p.families["loadline_operations_per_second"]
		if len(rate.GetMetric()) == 0 || p.families["loadline_comparison_ratio"] == nil {
			t.Fatalf("pushed were %d metrics", len(p.families))
		}
		found := false
		for _, m := range rate.GetMetric() {
			for _, l := range m.GetLabel() {
				found = found || l.GetName() == "label_env" && l.GetValue() == "staging"
			}
		}
		if !found || rate.GetMetric()[0].GetGauge().GetValue() <= 0 {
			t.Errorf("%v", rate.GetMetric()[0])
		}
	}
}

// TestAPushThatFailsIsASentence checks that the error contains the server's response and not the
// password.
func TestAPushThatFailsIsASentence(t *testing.T) {
	r := []*model.Report{reporttest.Report("quick")}
	for _, c := range []struct {
		status       int
		answer, says string
	}{
		{http.StatusBadRequest, "no \x1b[31msuch thing, hunter2!\n" + strings.Repeat("x", 9999), "status code 400"},
		{http.StatusUnauthorized, "", "status code 401"}, {http.StatusFound, "", "status code 302"},
	} {
		s, got := gateway(t, c.status, c.answer)
		g, err := ParseGateway(strings.Replace(s.URL, "://", "://me:hunter2@", 1))
		if err != nil {
			t.Fatal(err)
		}
		err = g.Push(t.Context(), "x", r, nil)
		var worker *model.WorkerError
		if !errors.As(err, &worker) || worker.Class == model.Refused || !strings.Contains(err.Error(), c.says) || worker.Hint == "" {
			t.Errorf("%d: %v", c.status, err)
		} else if strings.Contains(err.Error(), "hunter2") || strings.ContainsAny(err.Error(), "\x1b\n") || len(err.Error()) > 500 {
			t.Errorf("%q", err)
		}
		if len(*got) != 1 {
			t.Errorf("%d: %d requests", c.status, len(*got))
		}
	}
	s, _ := gateway(t, http.StatusOK, "")
	g, _ := ParseGateway(strings.Replace(s.URL, "://", "://me:hunter2@", 1))
	s.Close()
	if err := g.Push(t.Context(), "x", r, nil); err == nil || !strings.Contains(err.Error(), "refused") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if g.Push(ctx, "x", r, nil) == nil {
		t.Error("a push without time succeeds")
	}
}

func TestWrongAddressesOfAGatewayAreRefused(t *testing.T) {
	for address, says := range map[string]string{
		"gateway:9091": "does not begin with", "http://": "names no host", "ftp://x": "does not begin with", "http://u:hunter2@x:y/": "cannot be read", "http://x?a=1": "query",
		"http://x/metrics/job/a/b": "has no value", "http://x/metrics/job/a//c": "none of them empty", "http://x/metrics/job/a/verdict/x": "label of the metrics",
		"http://x/metrics/job/a/job/x": "label of the metrics", "http://x/metrics/job/a/b-c/x": "not a valid label name", "http://x/metrics/job/a/b/c%20d": "has a blank",
	} {
		_, err := ParseGateway(address)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", address, err)
		}
	}
}
