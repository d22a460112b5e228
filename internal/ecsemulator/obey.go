package ecsemulator

// abandoned ends an action that a rule stopped on its way. It is never sent: the connection is cut.
func abandoned() *APIError { return &APIError{Code: "abandoned"} }

// obey does what the rules ask for at a moment. It reports whether that settled the answer.
func (s *Server) obey(c *call, at Moment, answer *answer) bool {
	if at == MomentBefore && c.verdict.throttled != nil {
		answer.refusal = c.verdict.throttled
		return true
	}
	if answer.cut {
		return true
	}
	for _, rule := range c.verdict.acts {
		if rule.At == at && s.apply(rule, c, answer) {
			return true
		}
	}
	return false
}

func (s *Server) apply(rule Rule, c *call, answer *answer) bool {
	switch rule.Kind {
	case RuleHold:
		answer.cut = s.rules.hold(s.life, c, rule) == Drop
		return answer.cut
	case RuleDelay:
		answer.cut = s.clock.wait(s.life, rule.duration()) != nil
		return answer.cut
	case RuleError:
		answer.refusal = refuse(rule.HTTPStatus, rule.Code, "%s", orDefault(rule.Message, "This error was asked for by a rule."))
		if rule.Code == "Forbidden.RAM" {
			answer.refusal = c.forbidden()
		}
	case RuleHTML:
		answer.raw = &rawAnswer{
			502, "text/html",
			"<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n</body>\r\n</html>\r\n",
		}
	case RuleMalformed:
		answer.raw = &rawAnswer{200, "application/json;charset=utf-8", `{"RequestId":"` + c.requestID + `","Instances":{"Inst`}
		if rule.Code != "" {
			answer.raw = &rawAnswer{
				rule.HTTPStatus, "application/json;charset=utf-8",
				`{"RequestId":"` + c.requestID + `","HostId":"ecs.aliyuncs.com","Code":500,"Message":"` + `malformed by a rule"}`,
			}
		}
	case RuleCut:
		answer.cut = true
	default: // the others act elsewhere, by the verdict
		return false
	}
	return true
}
