package config

import "slices"

// Config is every setting of taploop. The tag koanf is the key below its group. The file of a group
// also has the rows of its settings. A key's environment name is TAPLOOP_ and the key in upper case
// with _ for a dot.
type Config struct {
	DataDir   string             `koanf:"data_dir"`
	Store     Store              `koanf:"store"`
	Lease     Lease              `koanf:"lease"`
	Farm      Farm               `koanf:"farm"`
	ADB       ADB                `koanf:"adb"`
	Device    Device             `koanf:"device"`
	HTTP      HTTP               `koanf:"http"`
	Model     Model              `koanf:"model"`
	Models    map[string]profile `koanf:"models"`
	Caption   Caption            `koanf:"caption"`
	Loop      Loop               `koanf:"loop"`
	Reply     Reply              `koanf:"reply"`
	Calls     Calls              `koanf:"calls"`
	Questions Questions          `koanf:"questions"`
	Notify    Notify             `koanf:"notify"`
	Guard     Guard              `koanf:"guard"`
	Privacy   string             `koanf:"privacy"`
	Compat    string             `koanf:"compat"`
	Schemas   string             `koanf:"schemas"`
	Apps      map[string]string  `koanf:"apps"`
	Host      Host               `koanf:"host"`
	Log       Log                `koanf:"log"`
	Retention Retention          `koanf:"retention"`
	Schedule  Schedule           `koanf:"schedule"`
	Runs      Runs               `koanf:"runs"`
	Upgrade   Upgrade            `koanf:"upgrade"`
	Skills    Skills             `koanf:"skills"`
	// Verify says by what the ends of tasks are looked at, VerifyModel by which model.
	Verify      string `koanf:"verify"`
	VerifyModel string `koanf:"verify_model"`

	Proxies map[string]ProxyServer `koanf:"proxies"`
}

// settings has a row for each key of [Config] that has a default, or whose values are checked.
var settings = slices.Concat(storeSettings, runSettings, serverSettings,
	modelSettings, questionSettings, hostSettings, operateSettings)
