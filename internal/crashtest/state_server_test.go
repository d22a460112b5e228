package crashtest

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func ask(t *testing.T, method, url, body string) (int, string) {
	t.Helper()

	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}

	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()

	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}

	return response.StatusCode, string(answer)
}

func TestTheStateServerKeepsAndLocks(t *testing.T) {
	t.Parallel()

	server, err := startStateServer(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := server.close(); err != nil {
			t.Error(err)
		}
	})

	address := server.variables("one")["TF_HTTP_ADDRESS"]
	lock := `{"ID":"mine"}`

	for _, step := range []struct {
		method, url, body string
		status            int
		answer            string
	}{
		{"GET", address, "", http.StatusNotFound, ""},
		{"LOCK", address, lock, http.StatusOK, ""},
		{"LOCK", address, `{"ID":"yours"}`, http.StatusLocked, lock},
		{"POST", address + "?ID=yours", "stolen", http.StatusConflict, lock},
		{"POST", address + "?ID=mine", "state", http.StatusOK, ""},
		{"GET", address, "", http.StatusOK, "state"},
		{"UNLOCK", address, lock, http.StatusOK, ""},
		{"LOCK", address, `{"ID":"yours"}`, http.StatusOK, ""},
		{"PATCH", address, "", http.StatusMethodNotAllowed, ""},
		{"DELETE", address, "", http.StatusOK, ""},
		{"GET", address, "", http.StatusNotFound, ""},
	} {
		if status, answer := ask(t, step.method, step.url, step.body); status != step.status || answer != step.answer {
			t.Errorf("%s %s: %d %q, want %d %q", step.method, step.url, status, answer, step.status, step.answer)
		}
	}

	server.unlock("one")

	if status, _ := ask(t, "LOCK", address, lock); status != http.StatusOK {
		t.Errorf("the lock of the dead command is still there: %d", status)
	}
}
