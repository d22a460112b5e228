package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// postgres is a database of the benchmark's own, on a socket in its directory.
type postgres struct {
	data, socket string
	control      string
}

const stopPatience = 30 * time.Second

// startPostgres makes and starts a database. It does not run as root, which it
// refuses: there it becomes the user nobody.
func startPostgres(ctx context.Context, directory string) (*postgres, error) {
	var programs []string

	for _, name := range []string{"initdb", "pg_ctl"} {
		program, err := findProgram(name)
		if err != nil {
			return nil, err
		}

		programs = append(programs, program)
	}

	p := &postgres{data: filepath.Join(directory, "data"), socket: directory, control: programs[1]}

	if err := ownedDirectory(directory); err != nil {
		return nil, err
	}

	if err := p.run(ctx, programs[0], "-D", p.data, "-U", "bench", "-A", "trust", "--no-sync"); err != nil {
		return nil, fmt.Errorf("making a PostgreSQL: %w", err)
	}

	settings := "-c listen_addresses='' -c fsync=off -c unix_socket_directories=" + p.socket
	if err := p.run(ctx, p.control, "-D", p.data, "-w", "-o", settings, "-l", filepath.Join(directory, "log"), "start"); err != nil {
		return nil, fmt.Errorf("starting a PostgreSQL: %w", err)
	}

	return p, nil
}

// backend is the backend block of a workspace.
func (p *postgres) backend(number int) string {
	return fmt.Sprintf("  backend \"pg\" {\n    conn_str    = \"postgres:///postgres?host=%s&user=bench&sslmode=disable\"\n    schema_name = \"space%d\"\n  }\n", p.socket, number)
}

func (p *postgres) stop() error {
	// What ended the benchmark must not leave it running.
	ctx, cancel := context.WithTimeout(context.Background(), stopPatience)
	defer cancel()

	return p.run(ctx, p.control, "-D", p.data, "-m", "immediate", "stop")
}

func (p *postgres) run(ctx context.Context, program string, arguments ...string) error {
	command := exec.CommandContext(ctx, program, arguments...) //nolint:gosec // G204: the programs of PostgreSQL.
	command.Dir = p.socket
	command.Env = environmentOf("HOME=" + p.socket)

	if err := asNobody(command); err != nil {
		return err
	}

	// Into a file: the server keeps what it was given open.
	output, err := os.CreateTemp(p.socket, "output-")
	if err != nil {
		return err
	}

	command.Stdout, command.Stderr = output, output
	err = command.Run()
	if err != nil {
		text, readErr := os.ReadFile(output.Name())
		err = errors.Join(fmt.Errorf("%s: %w\n%s", filepath.Base(program), err, text), readErr)
	}

	return errors.Join(err, output.Close())
}

// findProgram finds a program of PostgreSQL, which some systems keep out of PATH.
func findProgram(name string) (string, error) {
	if found, err := exec.LookPath(name); err == nil {
		return found, nil
	}

	found, err := filepath.Glob(filepath.Join("/usr/lib/postgresql/*/bin", name))
	if err != nil || len(found) == 0 {
		return "", fmt.Errorf("there is no %s: install PostgreSQL, or leave the measurement out (%s)", name, strings.Join(Names(), ", "))
	}

	return found[len(found)-1], nil
}
