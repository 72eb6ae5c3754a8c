package db

import (
	"regexp"
	"slices"
	"testing"
)

// TestMigrationsAreFrozen holds the released steps to their checksums: editing
// one would lock every store out. A new step adds a line here.
func TestMigrationsAreFrozen(t *testing.T) {
	t.Parallel()
	frozen := map[string][]string{postgresSteps: {
		"796a5fa452da23255948d93b0256caa895a988aad647bf581f1ef1f156243e5a",
		"ff66afbd3329e4e3744ff59b8cfb6d10f667d52766b1486ff8518bfae4b7457c",
		"81e6a04376bce5090475b619c09936282418329c3971367d4e0f56d9deee66cb",
		"3db69cc6738e708cf1a042c8dc55fa7f0ae8561409078f59861bcd6bebf5e639",
		"a376d6c233cb315e9c7c03aba9daf75ac288bec6615006311c3549907934df18",
		"213b16888c6bfbf6387e9d618064c844edd77f6a40edb8459aa76796c72ef5ba",
		"58aca024c51791b091de22b555f26e59d93ba6595023cb9aa03b06ab794ef84e",
		"e1b5c0228a3a609611ec9f7fa62f1d3f86c91b12cedffff6a327d8deff172e85",
		"2e8f5612b35711748d0c193eb23a91da58116306f53e220b7475e7344d877e0d",
		"1733deed17f20a06567733a53c26ab3c0e203d09a0e3cdf92050e973e993d784",
		"bb562c7ef8e2201bd27bc93a6c5c65ff9c3ffa9b7e4c2b3de82778f471443b82",
		"6912119dbc9197b8514b4ee0f3c052e0af239c8266a7d40cb3c55f95d73a4f83",
		"61125a99778476abae4422c41faa4888b75af73d17a5b7848d3ae040b26ded0f",
		"270f6ae82264fe51742368b4edde80fe29fbfca629f37e74061d2d1bd67c1077",
		"bb7a14c1aef99e4229b0b58cc0355582d69975d90b95096a0143cec500663720",
		"e8bc4ff87fb19669d936bb90c61d664783b671ee47c9f5dd373753971e6977f3",
		"58005ce67c1a4def7522db77f6740b96c3f82c413aecae0365ea2f8f14bb4343",
		"7278a9f0f534eabb08da66594e681001f10b91a61b224c4322772e07e7839d25",
		"3e0dd195a11b9bc87189771eb12b1bd71f67269a436911534e0e677d775a740c",
		"d5a9ce0c337d9d3060037d06a0bad32b2a50b96a898c97126f1a4a2e02907054",
		"f40a9bf1c54a42e00b62a36679780c3066979f2a40674a1284f21674779e3a56",
		"68197b15f62f1363f54d5ec73bb06159aba3786290a606a0290dc2a6c351f5b0",
		"812a9c37845ec3aff50efe9c7dca3420dfa767971e81a3aeae491b604f03b06e",
		"0a55d5846646130bc5dd722b6ff2d581929bef4fe1a3a91addd0b196548c7bb6",
		"715b786a4ab5d06b8ed5475746b8ff5096864fdaba16846c3c8bc5690b87d672",
		"45502cb7de053134f77dc028fe2ace64a6966cc88018c6f96c739d11827b34e9",
		"2b195b2e0a8b2dfde703b2895ff345f6eab4548cbcf6886b9e1635ab5ea2d20d",
		"2aff691beb4fc9f64eae2cb196b9819b1c678ca820496693f7248a1edd2c194c",
		"020e70cb48428f8ece91dc5d8b6058cc31dc49801542f7c7b89cd5735514d174",
		"ec48792c2cc1734f63954cbe07e210c123389b93682708ea9f37472a7b5feb93",
		"280ce6bfe24077e4471b4e5a7c1ad7cc359d042e028b4614089fd08600ff860b",
		"70fbaea11cfdee4624c7a9c3ecc2442d37735f82362087ef9492adabebea46fe",
		"a2fffa626a5cd7cae3b06ce696e6301a01f1825111dea7d0bf83ad1495e0b089",
		"e31910ff5b2d98d2a0ab5ec2251f5ee970f97422b703e68e3692b449d431f088",
		"d5ea79bccaf88eda37fe8dab3efb889e5a2a761871ef2b18eb6db12feca7c913",
		"afbe60b4a8602c96ad8d54fcecef2aa24f23a40e51d7496a1c60735cbec06d3d",
		"213304396148fcda8094ec8d1f02e4c842e0f9037f7eec2642038cb9b308e5f3",
		"f8bcf2d53701af90094f6eecf1434355c8fd4c83f9c800eb323b9426492cc218",
		"7e8b3a13ca0963951ff5bdbad92dfea090724f6b2b74a87d01a81569ea856438",
		"2cba90cdd8a05e39f2fb03e0123cfd308507324bed1c26273c7bea2363ba7f84",
		"a6c8d5183cd93301a54d5794209d7bf4ddcaf0d8f491b615909ce768c8f54210",
		"e6b27bdd2a8892be756786f62d24a18db114e151c9e9ac60fa77a4844a028488",
		"b83bf56c7d73c0738a263f81d1361913808d19f6faf3b78a7b607543fdc0c3de",
		"7f99457f9ee3087c72cae58968a182d3afa102fea6166b2d28432ab4b24633a0",
	}, sqliteSteps: {
		"59741acfd521f245e61e16489194f7ef68948da03a9e33fc84b2600653164112",
		"6fa4a8d1ae02f15f93b0880c20cbaab13e9333ec1074f4a9231beb333fd92b1d",
		"36cf415ffb2d61155f4884036ec01d4d24c234f8c7a4bb092b62bf0031ace2d6",
		"60362d4ac6ff2de12637368868d64d234105f6b8d3d1e232f2449b53f0948359",
		"1fc522c0bb3e0ae99ddf287df9582bb695daff0b5a45f84e749af0b4c379362e",
		"56cad247e113534bad6bd2e7131ed3c25e89bd135ce693260db14fffe7eba464",
		"4e311ee78d0bcb8f4549a069dd76289f1bbc460bd004742c56973d4762ca2715",
		"264336d5474deac008e63556218dddf3cccd2c6b5e3ce6dcc6fb5b1db9e9dd1f",
		"74e34c4d1ee0b01ad236912d6458584ec961dae62264fc400a83f95508fb2863",
		"e00ad02b44bd61c874d8c4b31bfd82fc04ef8b1e51b9dbe87712c94f4f01dbfc",
		"215e8629831824a37352aaa85d973e09d51695dd42715a2fe4d0a6d6aa2d6408",
		"84f3fe958d63c4834addd07d2323a77ea8954531a8ec2eedb7866bc763166a2f",
		"f7549ffdb4ecff50023ca22b5ff3db972f0ee82781bd35889e586c49021543cd",
		"eb6c7da8afb93d09e0b16bbd6781b75c895fb88c4c5ef6eceb13252a5922e96b",
		"5189c015a3c914d292e5fcb64ad2c6c6c051a1507b2466a7e68494afd1cb2dd7",
		"a4b89909d927c77b66047a18aff4e22e79bf5cafb7eeeb9f15c9a407ddd64613",
		"1889daac4063bb00074b33e3ab9f6aa942671b45f69591e36d5d175b81207d42",
		"97a451887955a8e0770b96b2c9ddb6182b5b0c94485ee0f7a0a73fee71f8c8ca",
		"4ab21fe4700391c1893ce823dd29feaed2d4b09b72230aba1d0c7dad09ef26b8",
		"64225702475b610d8b5b05901f2e57b6ab0f24a84af80047efff5842b5119f14",
		"3db69cc6738e708cf1a042c8dc55fa7f0ae8561409078f59861bcd6bebf5e639",
		"1c617af1e99c1e33a44c99ee7d9ccf50a9120b9150595acabd82729eb1b0f859",
		"d6f25d7e799fc183df880a2db8f1b3496fba8231ef7aedc60422966032b83491",
		"c3950b539015ec2b1e35ccc5b64abea56c488d64a8db79bd3454f659a1a95736",
		"e1b5c0228a3a609611ec9f7fa62f1d3f86c91b12cedffff6a327d8deff172e85",
		"8ad963d181b374ffda95ac0d1fbef6b778c430d59f968d45f1ef70b9a24667ba",
		"1d7b768c852e35e6fe55dbc3bc5b800216547793cd2e3e6c23fe0625f63da3a7",
		"fd4e0789103122035cd43d7613d30bec659af98d1990914a60cd385ece72d092",
		"4fb9b3e2e3d3b8e95f73b5f22812496c974800d25d7391ad70c484e1f20810b6",
		"92c47d19608678f1171afe7d72a4840ec6d45b172d64c70681794a1cd97434d5",
		"693c340a9260dfa31fb00cc024733eae10577db17c34c383a8848c2ef565e22b",
		"69884eaba747bcd98e8e22f8c62bb67bd70bff7752a20a7c7dcf6db8b524a089",
		"f0cea28ebc6158501118fbb8afc709f6a064fdabdf935948ef91492f2a7fa059",
		"96e1e6436a9d5739c9c1d1a22080815c2416fe387b6f2136a1b674808acca079",
		"5ba67c25c88184c5fda4a34d65d059872c85f88e7e4174ff47b5910849611320",
		"aeafdd42ad8d6c5d591c6dca2fed672c2e6aa8650ed9a74df782adaf2d854138",
		"dcf47d8e33a25d2077fc032b313fbb02ece91474029b4934a82c5a1e37d208a6",
		"c21b2e3358efd3ead181d393921b230651d637005a499026203f1a0d37996ceb",
		"4edc84a9e133ffe4a172ece50ed2a970d59a530cfdc02d4ddb53c73199da9e83",
		"a43c57a77ca3b23798a0b93bf334ebd0645863fcee61445d632645e0cc4307b8",
		"2d06cce80f6f13448e738aacb46d30546d5977534c04345d75fc707448460c6e",
		"7709ae0965344459f460aa73af51468c0158a1ee53748e58cf753ff956be4e95",
		"7a49d989f0774587fd7a42ac364368f524be5a2ed034b51ba649746fc9054dca",
		"5a1a24b8404013db94fce0a3c41711c0c684c2d6bf2aa294700c392b373155e1",
		"3507402296eddfbbd85e13f6bb00b60113e3f2472b98f2ec7930568ecd049ddf",
		"bd5128c7329b6516810fd7a1984cedf4c603fa4047a209776beefb88d5184188",
		"e9d79d5bd38905ac764d638b0ed65f72036ce3a07a20df0434f7dab4be3d119d",
		"4ae5a2ae30638e11a8a6c4639e087eeebe32904b0910013fe09429e96e7a48d2",
		"430e3cd376ce974c400419b0c2921d9aac3ef25ff4499c105b4d74c10929c4f8",
		"a2fffa626a5cd7cae3b06ce696e6301a01f1825111dea7d0bf83ad1495e0b089",
		"c761a499428e9e5258b7cd49e8f4d48081e3b36894fea096c922dc45a8f87322",
		"9190dabc194c4f5bcb70138bc127e01a7cf78a419e22e0a2a16fa2ab83d5556d",
		"1cdec473068d225f7850f8d78e02e3f25eaa250f816ee7b372b0d653c4721e98",
		"6f4ade110ea95ddde6647b137e8561416f02ef3cddda3daa622ac8181f0cc4da",
		"8bc1c3c757b9c69e6e04e9dc9b2214576ae82b18af8c369e5015f3f503ca260a",
		"0a0766c20b40ec0236d802fc4b01613673cff143ca62fb7deafc69cbb1984425",
		"be5964a3b80b45c13e8b774e04b0d90e736a3349064794f00ef15a226866012d",
		"f5a002a1b9d1f2cd872f32f3d15f7240fc20e138f9b07a264961db4988b80339",
		"3d03b332ff39158e0505e4ed351d5e4aacb416b099532dc418c3a790be56ea42",
		"386f0f19ecd559a46bf9960503ba021eff23c1535c4a7d7db6a9a5f4585775a1",
		"168c8a9ce9da9358e4adeb7f9e33c4be4df345284828f98d6f3acda299c4b77b",
	}}
	for folder, sums := range frozen {
		known, err := stepsOf(folder)
		if err != nil {
			t.Fatal(err)
		}
		if len(known) != len(sums) {
			t.Fatalf("%s: got %d migrations, want %d, as many as checksums", folder, len(known), len(sums))
		}
		for i, m := range known {
			if m.checksum != sums[i] {
				t.Errorf("%s: migration %d_%s: got checksum %s, want %s: it was edited", folder, m.version, m.name, m.checksum, sums[i])
			}
		}
	}
}

// TestMigrationsArePairs: from the first step of PostgreSQL on, which is the whole schema,
// each step is there for both.
func TestMigrationsArePairs(t *testing.T) {
	t.Parallel()
	files, err := stepsOf(sqliteSteps)
	if err != nil {
		t.Fatal(err)
	}
	servers, err := stepsOf(postgresSteps)
	if err != nil {
		t.Fatal(err)
	}
	files = files[len(files)-len(servers):]
	for i, m := range servers[1:] {
		if other := files[i+1]; m.version != other.version || m.name != other.name {
			t.Errorf("PostgreSQL: got step %d_%s, want %d_%s as of SQLite", m.version, m.name, other.version, other.name)
		}
	}
	if servers[0].version != files[0].version {
		t.Errorf("PostgreSQL begins with step %d, and SQLite has %d there", servers[0].version, files[0].version)
	}
}

// contracts is what takes something away that a program of the version before may use. A
// step that does so belongs to the version after the one that stopped using it, and says so
// on its first line.
var (
	contracts = regexp.MustCompile(`(?i)\b(DROP\s+(TABLE|COLUMN|INDEX)|RENAME|ALTER\s+COLUMN|ADD\s+(COLUMN\s+)?\w+\s+\w+\s+NOT\s+NULL\s*(,|;|$)|ADD\s+(CONSTRAINT|UNIQUE|CHECK))`)
	unused    = regexp.MustCompile(`^-- Contract: no program since version \d+ uses `)
)

func safeBesideOlder(step string) bool {
	return !contracts.MatchString(step) || unused.MatchString(step)
}

// FL-05: a step of PostgreSQL only expands, or says why it may take something away.
func TestStepsExpand(t *testing.T) {
	t.Parallel()
	steps, err := stepsOf(postgresSteps)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range slices.Clip(steps)[1:] { // the first one is the schema
		if !safeBesideOlder(m.sql) {
			t.Errorf("step %d_%s takes something away from programs of the version before, want it to begin with %q", m.version, m.name, unused)
		}
	}
	for step, want := range map[string]bool{
		"ALTER TABLE runs ADD COLUMN later text;":                                                      true,
		"ALTER TABLE runs ADD COLUMN later bigint NOT NULL DEFAULT 0;":                                 true,
		"CREATE TABLE later (id bigint PRIMARY KEY);":                                                  true,
		"ALTER TABLE runs ADD COLUMN later bigint NOT NULL;":                                           false,
		"ALTER TABLE runs DROP COLUMN mode;":                                                           false,
		"ALTER TABLE runs RENAME mode TO kind;":                                                        false,
		"ALTER TABLE runs ALTER COLUMN mode TYPE text;":                                                false,
		"DROP INDEX runs_by_connection;":                                                               false,
		"-- Contract: no program since version 26 uses runs.mode.\nALTER TABLE runs DROP COLUMN mode;": true,
	} {
		if got := safeBesideOlder(step); got != want {
			t.Errorf("%s: got safe %v, want %v", step, got, want)
		}
	}
}
