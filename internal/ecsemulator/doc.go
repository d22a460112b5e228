// Package ecsemulator is a local server that speaks the wire API of Alibaba Cloud ECS (2014-05-26) and what clients of it need of VPC
// (2016-04-28) and STS (2015-04-01). It stands in for the cloud in tests and demonstrations: no account, no network, no cost.
//
// A [Server] listens on two loopback addresses. The first is the API, over HTTP or HTTPS: RPC requests, GET or POST, parameters in the
// query or in a form, signed by HMAC-SHA1 (the RPC signature) or by ACS3-HMAC-SHA256 (the header signature). The second is the control address,
// which is not part of the ECS API: it tells which calls came and what they did, sets [Rule]s (hold, delay, fail, cut, throttle ...),
// moves the clock, and sells out stock. [ControlClient] speaks to it from another process; the methods of [Server] do the same from
// within.
//
// Time is virtual: it runs Options.ClockFactor times as fast as the wall clock and can be stepped. The status of an instance is
// computed from recorded moments when it is read, so that nothing happens behind the reader's back and a step is exact.
//
// # What is a guess
//
// What the documentation leaves open is a switch in [Behavior]. Durations are options. These are fixed and not documented: unknown
// parameters are refused (the real API ignores some), strings without a documented bound are refused beyond 1024 bytes, a tag filter
// with more than 1,000 matches lists the newest 1,000, and a second delete of an instance that is going away succeeds without effect
// unless Behavior says otherwise. Parameters that an action declares and no rule looks at are accepted and change nothing.
//
// Guesses about single actions: a new system disk is there at once; disks are Creating and secondary network interfaces Attaching as
// long as their instance is Pending; an instance type can become any other of the same architecture without local disks; an instance
// that has a RAM role keeps it when another is attached (InvalidOperation.RamRoleAlreadyAttached); lists of a launch template are
// replaced as a whole by those of the call; the numeric codes of system events; and all prices, which are round numbers of the order of
// the public list prices. The spot price moves from hour to hour in a fixed way.
//
// # Control API
//
// The control API speaks JSON over HTTP. It is not part of the ECS API, needs no signature, and listens on loopback.
//
//	GET    /environment             the KEY=value lines to point clients at the server
//	GET    /                        a page for people who would rather look than read
//	GET    /counts                  calls since the last reset, by action
//	GET    /counts/answers          calls answered since the last reset, by action, caller, status and code (AnswerCount)
//	GET    /calls                   the request log since the last reset (Call)
//	DELETE /calls                   reset counts and request log
//	GET    /instances               what exists (Instance)
//	POST   /instances               add an instance (NewInstance)
//	DELETE /instances/{id}          take an instance away at once
//	POST   /instances/{id}/incidents  let something befall it (Incident): a stop, release, lock or spot reclaim
//	GET    /disks                   what disks exist, attached or not (Disk)
//	POST   /disks                   attach a data disk to an instance (NewDisk)
//	GET    /journal                 every effect ever (Effect)
//	GET    /rules                   the rules in force (Rule)
//	POST   /rules                   put a rule in force (Rule); answers it with its id
//	DELETE /rules/{id}              end a rule; what it holds proceeds
//	GET    /holds                   the calls held now (Hold)
//	GET    /holds/wait?rule=ID      wait until the rule holds a call; timeout_seconds bounds the wait (30)
//	POST   /holds/{id}/release      let one held call go: {"outcome": "proceed" or "drop"}
//	GET    /clock                   the virtual time and the factor
//	POST   /clock/step              move the clock forward: {"seconds": 60}
//	POST   /clock/set               move the clock forward to a moment: {"now": "2026-01-01T00:00:00Z"}
//	GET    /timing                  the durations (Timing)
//	PUT    /timing                  set the durations, those of visibility among them (Timing)
//	POST   /stock                   override stock (Stock)
//	GET    /behavior                the switches (Behavior)
//	PUT    /behavior                set the switches (Behavior)
//	GET    /ram/keys                the access keys, without secrets (AccessKey)
//	PUT    /ram/keys                add or replace an access key (AccessKey)
//	DELETE /ram/keys/{id}           forget an access key
//	POST   /ram/keys/{id}/disable   disable an access key; .../enable enables it, .../expire ends a temporary one
//	GET    /ram/users               the RAM users with their policies (User)
//	PUT    /ram/users               add or replace a RAM user (User)
//	DELETE /ram/users/{name}        forget a RAM user; account_id=... names another account, here and for what follows
//	GET    /ram/roles               the RAM roles (Role)
//	PUT    /ram/roles               add or replace a RAM role (Role)
//	DELETE /ram/roles/{name}        forget a RAM role
//	GET    /ram/identity-providers  the OIDC identity providers, without tokens (IdentityProvider)
//	PUT    /ram/identity-providers  add or replace an OIDC identity provider (IdentityProvider)
//	DELETE /ram/identity-providers/{name}  forget an OIDC identity provider
//	GET    /metadata                the instance that the metadata service speaks for
//	PUT    /metadata                choose it: {"instance_id": "i-..."}; empty chooses the newest
//
// Errors are {"error": "..."}: 400 for what cannot be, 404 for an id that is not there, 408 for a wait that was in vain.
//
// # RAM
//
// A key without a user or a role may do everything, and so may the key of a user that the server does not know. A user that it knows
// ([User]) may do what its policies allow; what is denied answers Forbidden.RAM with AccessDeniedDetail, or for DescribeInstances what
// Behavior.DeniedDescribe says. AssumeRole and AssumeRoleWithOIDC open sessions of roles ([Role]) that trust the caller; their keys end
// by the wall clock, since that is the clock of the clients that renew them. Resources other than instances, disks, vSwitches and their
// like count as instance/* for a policy.
//
// # Instance metadata
//
// With Options.MetadataAddress the server answers like http://100.100.100.200 within an instance, with the token flow, the keys of the
// instance's role, and the termination time of a spot instance that has its notice.
//
// # State
//
// With Options.StateFile a server goes on where the last one stopped: resources, journal, stock, ClientTokens, keys, users, roles and the
// virtual time. Rules, switches, durations, counts, request log and used nonces belong to a run and are not kept. Virtual time never
// runs backwards from one run to the next.
//
// # Building on it
//
// The package imports nothing else of this module and no SDK. It is written from the published documentation, as an oracle
// independent of the clients that are tested against it. To add an action, write one file action_<name>.go, with the table of its
// parameters, its rules and its answer, and add it to allActions.
package ecsemulator
