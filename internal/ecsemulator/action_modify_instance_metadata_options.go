package ecsemulator

const modifyInstanceMetadataOptionsParameters = `
string: HttpEndpoint HttpTokens InstanceId InstanceMetadataTags
integer: HttpPutResponseHopLimit
`

// modifyInstanceMetadataOptions changes who may read the metadata, of a Running or Stopped instance.
func modifyInstanceMetadataOptions() *action {
	return ecsAction("ModifyInstanceMetadataOptions", modifyInstanceMetadataOptionsParameters, func(c *call) (any, *APIError) {
		i, refusal := c.instance()
		if refusal != nil {
			return nil, refusal
		}
		if !c.has("HttpEndpoint") {
			return nil, missingParameter("HttpEndpoint")
		}
		if refusal := c.checkMetadataOptions(); refusal != nil {
			return nil, refusal
		}
		if !oneOf(c.string("InstanceMetadataTags"), "", "enabled", "disabled") {
			return nil, invalidParameter("InstanceMetadataTags")
		}
		if refusal := c.settled(i); refusal != nil {
			return nil, refusal
		}
		i.httpEndpoint, i.httpTokens = c.string("HttpEndpoint"), orDefault(c.string("HttpTokens"), i.httpTokens)
		i.hopLimit = c.integer("HttpPutResponseHopLimit", i.hopLimit)
		c.note(i, "modified", "MetadataOptions")
		return emptyAnswer{}, nil
	})
}

// checkMetadataOptions checks the three options that a launch and a change have in common.
func (c *call) checkMetadataOptions() *APIError {
	limit := c.integer("HttpPutResponseHopLimit", 1)
	switch {
	case !oneOf(c.string("HttpEndpoint"), "", "enabled", "disabled"):
		return refuse(400, "InvalidHttpEndpoint.NotSupported", "The specified HttpEndpoint is not supported.")
	case !oneOf(c.string("HttpTokens"), "", "optional", "required"):
		return refuse(400, "InvalidHttpTokens.NotSupported", "The specified HttpTokens is not supported.")
	case limit < 1 || limit > 64:
		return refuse(400, "InvalidHttpPutResponseHopLimit.NotSupported", "The specified HttpPutResponseHopLimit is not supported.")
	}
	return nil
}
