package apps

// Data is what the apps store: it survives the end of an app.
type Data struct{}
