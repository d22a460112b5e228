package alicloud_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// repeater answers what it was asked before as it was answered then, so that a
// benchmark spends next to nothing on the other side.
type repeater struct {
	proxy *httputil.ReverseProxy

	mu       sync.Mutex
	answered map[string][]byte
}

func newRepeater(b *testing.B, endpoint string) *httptest.Server {
	b.Helper()

	r := &repeater{answered: map[string][]byte{}}
	r.proxy = httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: endpoint})
	r.proxy.ModifyResponse = func(answer *http.Response) error {
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			return err
		}

		answer.Body = io.NopCloser(bytes.NewReader(body))

		r.mu.Lock()
		defer r.mu.Unlock()

		r.answered[questionOf(answer.Request)] = body

		return nil
	}

	server := httptest.NewServer(r)
	b.Cleanup(server.Close)

	return server
}

// questionOf is what is asked, without when and by whom.
func questionOf(request *http.Request) string {
	var question []string

	for name, values := range request.URL.Query() {
		if !strings.HasPrefix(name, "Signature") && name != "Timestamp" {
			question = append(question, name+"="+strings.Join(values, ","))
		}
	}

	slices.Sort(question)

	return strings.Join(question, "&")
}

func (r *repeater) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	body, known := r.answered[questionOf(request)]
	r.mu.Unlock()

	if !known {
		r.proxy.ServeHTTP(w, request)

		return
	}

	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // A client that is gone has nobody to be told to.
}

// processorTime is what the process has used.
func processorTime(b *testing.B) time.Duration {
	b.Helper()

	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}

	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkResolveLargeClass resolves a class of 160 types, 6 zones and 2 capacity
// types in a process that knows nothing yet: 10 calls, 1,920 offerings. Its measure
// is the processor time of one resolution; the budget is 50 ms.
func BenchmarkResolveLargeClass(b *testing.B) {
	options := settled()
	options.Catalogue = largeRegion(b)
	emulator := newBench(b, options)
	host := strings.TrimPrefix(newRepeater(b, emulator.Endpoint()).URL, "http://")

	resolve := func() {
		cloud, err := alicloud.New(driver.Settings{Region: region, Endpoints: map[string]string{"ecs": host, "vpc": host}, Protocol: "http"})
		if err != nil {
			b.Fatal(err)
		}

		bench := &bench{cloud: cloud, key: emulator.key}
		if offerings, err := bench.resolve(b, largeClass()); err != nil || len(offerings) != 1920 {
			b.Fatalf("%d offerings, %v", len(offerings), err)
		}
	}

	resolve()
	b.ResetTimer()

	before := processorTime(b)

	for b.Loop() {
		resolve()
	}

	b.ReportMetric(float64((processorTime(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
}
