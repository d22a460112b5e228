package ecsemulator

const deleteNetworkInterfaceParameters = `
string: NetworkInterfaceId
`

func interfaceNotFound() *APIError {
	return refuse(404, "InvalidEniId.NotFound", "The specified NetworkInterfaceId does not exist.")
}

func invalidInterfaceState() *APIError {
	return refuse(400, "InvalidOperation.InvalidEniState", "The status of the network interface does not support this operation.")
}

// deleteNetworkInterface begins the end of an Available interface: it is Deleting, then absent.
func deleteNetworkInterface() *action {
	return ecsAction("DeleteNetworkInterface", deleteNetworkInterfaceParameters, func(c *call) (any, *APIError) {
		id := c.string("NetworkInterfaceId")
		if id == "" {
			return nil, missingParameter("NetworkInterfaceId")
		}
		for _, i := range c.account.order {
			if i.interfaceID == id && i.exists(c.now) && i.regionID == c.region.ID {
				return nil, refuse(400, "InvalidOperation.DetachPrimaryEniNotAllowed", "The primary network interface of an instance cannot be deleted.")
			}
		}
		n := c.account.interfaces[id]
		switch {
		case n == nil || n.regionID != c.region.ID:
			return nil, interfaceNotFound()
		case c.account.interfaceStatus(n, c.now) == interfaceDeleting:
			return emptyAnswer{}, nil
		case c.account.interfaceStatus(n, c.now) != interfaceAvailable:
			return nil, invalidInterfaceState()
		}
		n.deletedAt = c.now.Add(c.server.options.ReleaseDuration)
		c.account.settleInterfaces(c.now)
		c.noteResource(n.id, n.regionID, "deleted", "")
		return emptyAnswer{}, nil
	})
}
