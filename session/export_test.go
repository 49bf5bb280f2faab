package session

// Fill leaves the database no room to grow, as a full disk does.
func (s *Store) Fill() error {
	_, err := s.write.Exec("PRAGMA max_page_count = 1") // SQLite makes that the present size
	return err
}
