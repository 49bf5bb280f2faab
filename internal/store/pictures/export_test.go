package pictures

// Address is the URL of the bucket.
func (b *Bucket) Address() string { return b.url.String() }
