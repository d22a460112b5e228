// Package ecsemulator is a local server that speaks the wire API of Alibaba Cloud ECS (2014-05-26) and what clients of it need of VPC
// (2016-04-28) and STS (2015-04-01). It stands in for the cloud in tests and demonstrations: no account, no network, no cost.
//
// A [Server] listens on two loopback addresses. The first is the API: RPC requests, GET or POST, parameters in the query or in a
// form, signed by HMAC-SHA1 (the RPC signature) or by ACS3-HMAC-SHA256 (the header signature). The second is the control address,
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
// # Control API
//
// The control API speaks JSON over HTTP. It is not part of the ECS API, needs no signature, and listens on loopback.
//
//	GET    /environment             the KEY=value lines to point clients at the server
//	GET    /counts                  calls since the last reset, by action
//	GET    /calls                   the request log since the last reset (Call)
//	DELETE /calls                   reset counts and request log
//	GET    /instances               what exists (Instance)
//	POST   /instances               add an instance (NewInstance)
//	DELETE /instances/{id}          take an instance away at once
//	GET    /journal                 every effect ever (Effect)
//	GET    /rules                   the rules in force (Rule)
//	POST   /rules                   put a rule in force (Rule); answers it with its id
//	DELETE /rules/{id}              end a rule; what it holds proceeds
//	GET    /holds                   the calls held now (Hold)
//	GET    /holds/wait?rule=ID      wait until the rule holds a call; timeout_seconds bounds the wait (30)
//	POST   /holds/{id}/release      let one held call go: {"outcome": "proceed" or "drop"}
//	GET    /clock                   the virtual time and the factor
//	POST   /clock/step              move the clock forward: {"seconds": 60}
//	POST   /stock                   override stock (Stock)
//	GET    /behavior                the switches (Behavior)
//	PUT    /behavior                set the switches (Behavior)
//
// Errors are {"error": "..."}: 400 for what cannot be, 404 for an id that is not there, 408 for a wait that was in vain.
//
// # Building on it
//
// The package imports nothing else of this module and no SDK. It is written from the published documentation, as an oracle
// independent of the clients that are tested against it. To add an action, write one file action_<name>.go, with the table of its
// parameters, its rules and its answer, and add it to allActions.
package ecsemulator
