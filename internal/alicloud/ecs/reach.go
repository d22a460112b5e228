package ecs

import (
	"errors"
	"fmt"
	"net"
	"sync"
)

const (
	// mostUnreachable is how often in a row a host is called that has answered before and
	// to which no connection comes about any more: a network comes back.
	mostUnreachable = 6
	// mostNeverReached is how often one is called that has never answered, and mostUnknown
	// one whose name nobody knows, or to which an attempt takes until its time is up. An
	// endpoint that is wrong never answers, and whoever waits has to be told so; a resolver
	// or a network that stumbled gets a second chance.
	mostNeverReached = 3
	mostUnknown      = 2
)

// reach notes which hosts have answered a client.
type reach struct {
	mu    sync.Mutex
	hosts map[string]hostReach
}

type hostReach struct {
	// answered is set once the host has answered, and givenUp once it was called in vain
	// as often as it may be.
	answered, givenUp bool
}

// answers notes that the host has answered.
func (r *reach) answers(host string) {
	r.mu.Lock()
	defer r.mu.Unlock()

	if known := r.hosts[host]; !known.answered {
		r.set(host, hostReach{answered: true})
	}
}

// set is called with the lock held.
func (r *reach) set(host string, known hostReach) {
	if r.hosts == nil {
		r.hosts = map[string]hostReach{}
	}

	r.hosts[host] = known
}

// givesUp reports whether so many failures in a row to get to the API are enough of the
// host, and makes the last one that of an endpoint that nobody has ever reached where it
// is one. What one caller has found out is not tried that often by the next. What comes
// between a caller and a host that has answered before, such as a proxy's page, goes.
func (r *reach) givesUp(host string, inARow int, failure *Error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()

	known := r.hosts[host]

	most := mostNeverReached

	switch {
	case known.answered && failure.foreign:
		return false
	case known.answered:
		most = mostUnreachable
	case known.givenUp:
		most = 1
	case nameUnknown(failure) || timedOut(failure):
		most = mostUnknown
	}

	if inARow < most {
		return false
	}

	if !known.answered {
		r.set(host, hostReach{givenUp: true})

		failure.Class = ClassUnreachable
	}

	return true
}

// nameUnknown reports whether a resolver has said that there is no such name.
func nameUnknown(failure *Error) bool {
	var resolution *net.DNSError

	return errors.As(failure.Err, &resolution) && resolution.IsNotFound
}

// timedOut reports whether an attempt to connect ended with its time.
func timedOut(failure *Error) bool {
	var network net.Error

	return errors.As(failure.Err, &network) && network.Timeout()
}

// toEndpoint says where a call went, and what had it go there.
func (c *Client) toEndpoint(k call) string {
	scheme, host := c.endpoint(k.product, k.region)
	address := scheme + "://" + host

	switch origin := c.origins.of(k.product); {
	case c.regionUnknown(k):
		return fmt.Sprintf("%s, as the %s endpoint of %q would be named; it is no region that this version knows", address, k.product.title(), k.region)
	case c.endpoints.of(k.product) == "":
		return fmt.Sprintf("%s, the %s endpoint of the region %s", address, k.product.title(), k.region)
	case origin == "":
		return fmt.Sprintf("%s, the %s endpoint", address, k.product.title())
	default:
		return fmt.Sprintf("%s, the %s endpoint that %s names", address, k.product.title(), origin)
	}
}

// regionUnknown reports whether the host of a call is what the endpoint of a region would
// be called that this version does not know.
func (c *Client) regionUnknown(k call) bool {
	return c.endpoints.of(k.product) == "" && vendorHosts()[k.product][k.region] == ""
}

// throughProxy reports whether it was a proxy to which no connection came about.
func throughProxy(err error) bool {
	var operation *net.OpError

	return errors.As(err, &operation) && operation.Op == "proxyconnect"
}
