package ecsemulator

// enter gives a call the present moment and its account, brought up to that moment. The caller holds the server's lock.
func (c *call) enter() {
	c.now = c.server.clock.now()
	c.account = c.server.accountOf(c.key.AccountID)
	c.server.settle(c.account, c.now)
}

// accountOf gives an account, which comes to be when it is first asked for. The caller holds the server's lock.
func (s *Server) accountOf(id string) *account {
	if s.accounts[id] == nil {
		s.accounts[id] = newAccount(id)
	}
	return s.accounts[id]
}

func (s *Server) ensureAccount(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.accountOf(id)
}

// touch notes that there is something new to save.
func (s *Server) touch() { s.changes.Add(1) }

// checkPermission asks RAM about the call, and lets the verdict deny it.
func (c *call) checkPermission() {
	if c.action.service == serviceSTS || len(c.server.directory.policiesOf(c.key)) == 0 {
		return // STS asks for itself, about the role; and GetCallerIdentity needs no permission
	}
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	c.enter()
	if decided := c.authorize(); decided != allowed {
		c.verdict.denied = true
		c.explicitlyDenied = decided == explicitDeny
	}
}

// runWithIncidents runs the action, and lets befall what the rules have in store for the instances that it names or makes.
func (c *call) runWithIncidents() (any, *APIError) {
	if len(c.verdict.incidents) > 0 {
		c.befall(MomentBefore, c.named())
	}
	if refusal := c.checkLocks(); refusal != nil {
		return nil, refusal
	}
	result, refusal := c.action.run(c)
	if refusal != nil {
		return result, refusal
	}
	if !c.action.reads() {
		c.server.touch()
	}
	launched := c.launched(result)
	for _, i := range launched {
		if c.verdict.conceal > 0 {
			i.visibleFrom = c.now.Add(c.verdict.conceal)
		}
	}
	if c.verdict.linger > 0 {
		for _, i := range c.named() {
			if i.releasing {
				i.visibleTo = i.goneAt.Add(c.verdict.linger)
			}
		}
	}
	if len(c.verdict.incidents) > 0 {
		c.befall(MomentBefore, launched)
		c.befall(MomentAfter, append(c.named(), launched...))
	}
	return result, nil
}

// refusal gives a gateway's refusal in the codes of the vintage. Source: ecs-api 1.4, where both are told.
func (v Vintage) refusal(current *APIError) *APIError {
	if v != VintageOlder {
		return current
	}
	older := *current
	switch current.Code {
	case "InvalidTimeStamp.Expired":
		older.Code = "IllegalTimestamp"
	case "InvalidAccessKeyId.NotFound":
		older.HTTPStatus = 400
	case "InvalidAccessKeyId.Inactive":
		older.Code, older.HTTPStatus = "Forbidden.AccessKeyDisabled", 403
	case "InvalidApi.NotFound":
		older.Code, older.HTTPStatus = "InvalidAction", 403
	case "InvalidProduct.NotFound":
		older.Code, older.HTTPStatus = "InvalidParameter", 400
	}
	return &older
}
