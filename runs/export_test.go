package runs

// Desks is how many sessions the Fleet keeps something about.
func (f *Fleet) Desks() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.desks)
}
