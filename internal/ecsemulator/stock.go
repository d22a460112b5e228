package ecsemulator

import "slices"

func copyStock(stock []Stock) []Stock {
	copied := slices.Clone(stock)
	for i := range copied {
		if copied[i].Left != nil {
			left := *copied[i].Left
			copied[i].Left = &left
		}
	}
	return copied
}

// SetStock adds an entry that overrides the earlier ones it overlaps. An unknown StatusCategory or a negative Left is an error.
func (s *Server) SetStock(stock Stock) error {
	if err := stock.validate(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stock = append(s.stock, copyStock([]Stock{stock})...)
	s.touch()
	return nil
}

// stockOf finds the entry that counts for a type in a zone, or nil if there is plenty.
func (s *Server) stockOf(zone, instanceType string, mode ChargeMode) *Stock {
	for i := range slices.Backward(s.stock) {
		entry := &s.stock[i]
		if matches(entry.Zone, zone) && matches(entry.InstanceType, instanceType) && matches(entry.ChargeMode, string(mode)) {
			return entry
		}
	}
	return nil
}

// shownStock is the StatusCategory that DescribeAvailableResource tells.
func (s *Server) shownStock(zone, instanceType string, mode ChargeMode) string {
	entry := s.stockOf(zone, instanceType, mode)
	switch {
	case entry == nil || entry.Hidden:
		return "WithStock"
	case entry.Left != nil && *entry.Left == 0:
		return "WithoutStock"
	default:
		return entry.StatusCategory
	}
}

// available counts how many instances can be launched, at most the wanted number.
func (s *Server) available(zone, instanceType string, mode ChargeMode, wanted int) int {
	entry := s.stockOf(zone, instanceType, mode)
	switch {
	case entry == nil:
		return wanted
	case entry.StatusCategory == "WithoutStock" || entry.StatusCategory == "ClosedWithoutStock":
		return 0
	case entry.Left != nil:
		return min(wanted, *entry.Left)
	default:
		return wanted
	}
}

// consume takes launched instances out of the stock.
func (s *Server) consume(zone, instanceType string, mode ChargeMode, count int) {
	if entry := s.stockOf(zone, instanceType, mode); entry != nil && entry.Left != nil {
		*entry.Left -= count
	}
}
