package web

// Routes are the routes that want a credential, as "METHOD /path".
func (s *Server) Routes() (all []string) {
	for _, x := range s.table() {
		all = append(all, x.method+" "+x.path)
	}
	return all
}
