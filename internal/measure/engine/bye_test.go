package engine

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// parting is a link whose worker says hello, accepts the bye, and disappears with its place before the
// answer arrives.
type parting struct {
	io.Reader
	end  *io.PipeWriter
	with error
}

func part(with error) parting {
	r, w := io.Pipe()
	go func() {
		_, _ = io.WriteString(w, `{"seq":1,"hello":{"protocol":1,"version":"v","clock":1,"hostname":"h","pid":1}}`+"\n")
	}()
	return parting{r, w, with}
}

func (p parting) Write(line []byte) (int, error) {
	if strings.Contains(string(line), `"bye"`) {
		go p.end.CloseWithError(p.with)
	}
	return len(line), nil
}

func (parting) Close() error { return nil }

// A worker that has ended successfully has done what bye asks for, whether or not its answer arrives; one
// that has failed has not.
func TestAnAnswerToByeThatIsLost(t *testing.T) {
	for with, fine := range map[error]bool{&model.FinishedError{Cause: errors.New("ended with exit code 0")}: true, errors.New("ended with exit code 1"): false} {
		w, err := Connect(t.Context(), part(with))
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); (err == nil) != fine {
			t.Errorf("a worker that %v: %v", with, err)
		}
	}
}
