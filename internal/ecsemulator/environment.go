package ecsemulator

import (
	"strconv"
	"time"
)

// Environment is what a user sets to point clients at the server, as KEY=value lines.
func (s *Server) Environment() []string {
	key := s.options.AccessKeys[0]
	lines := []string{
		"ALIBABA_CLOUD_ACCESS_KEY_ID=" + key.ID,
		"ALIBABA_CLOUD_ACCESS_KEY_SECRET=" + key.Secret,
		"ALIBABA_CLOUD_REGION=" + s.options.RegionID,
		"ALIBABA_CLOUD_ENDPOINT_ECS=" + s.Endpoint(),
		"ALIBABA_CLOUD_ENDPOINT_VPC=" + s.Endpoint(),
		"ALIBABA_CLOUD_ENDPOINT_STS=" + s.Endpoint(),
		"TF_MACHINE_PROTOCOL=http",
	}
	if s.options.TLS {
		lines[len(lines)-1] = "TF_MACHINE_PROTOCOL=https"
		lines = append(lines, "SSL_CERT_FILE="+s.caFile)
	}
	if key.SecurityToken != "" {
		lines = append(lines, "ALIBABA_CLOUD_SECURITY_TOKEN="+key.SecurityToken)
	}
	if s.options.ClockFactor != 1 {
		lines = append(lines,
			"TF_MACHINE_CLOCK_FACTOR="+strconv.FormatFloat(s.options.ClockFactor, 'g', -1, 64),
			"TF_MACHINE_CLOCK_ORIGIN="+s.clock.origin.UTC().Format(time.RFC3339Nano))
	}
	return lines
}
