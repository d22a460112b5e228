package ecsemulator

import "fmt"

// SetImageStatus gives an image of the catalogue another status, such as Deprecated, as
// its owner does with one that is not to be used any more. An image that there is none of
// is an error. The catalogue that the server was started with changes with it.
func (s *Server) SetImageStatus(id, status string) error {
	s.mu.Lock()
	defer s.mu.Unlock()

	for i := range s.options.Catalogue.Images {
		if s.options.Catalogue.Images[i].ID == id {
			s.options.Catalogue.Images[i].Status = status
			s.touch()

			return nil
		}
	}

	return fmt.Errorf("there is no image %q in the catalogue", id)
}
