//go:build unix

package skill

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
)

// What lies in the folder and is no skill is told, and not waited for.
func TestAFolderMayHaveAnythingInIt(t *testing.T) {
	f := Folder(t.TempDir())
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
	for i := range 12 {
		to, from := "a"+string(rune('1'+i)), "a"+string(rune('0'+i))
		bomb += to + ": &" + to + " [" + strings.Repeat("*"+from+", ", 8) + "*" + from + "]\n"
	}
	for name, body := range map[string]string{"empty": "", "braces": "{{{", "bomb": bomb,
		"other": onePress, "zeroes": "\x00\x00"} {
		require.NoError(t, os.WriteFile(f.Path(name), []byte(body), 0o600))
	}
	require.NoError(t, os.WriteFile(f.Path("huge"), nil, 0o600))
	require.NoError(t, os.Truncate(f.Path("huge"), 30<<20))
	require.NoError(t, syscall.Mkfifo(f.Path("pipe"), 0o600))
	require.NoError(t, os.Symlink(f.Path("pipe"), f.Path("linked")))
	require.NoError(t, os.Symlink("/dev/zero", f.Path("endless")))
	require.NoError(t, os.Symlink(f.Path("loop"), f.Path("loop")))
	require.NoError(t, os.Mkdir(filepath.Join(string(f), "folder.yaml"), 0o700))
	require.NoError(t, os.WriteFile(f.Path("buy"), []byte(onePress), 0o600))
	names, err := f.Names()
	require.NoError(t, err)
	require.Len(t, names, 12)
	for _, name := range names {
		if _, err := f.Read(name); name == "buy" {
			require.NoError(t, err)
		} else {
			require.Error(t, err, name)
		}
	}
	_, err = f.Read("pipe")
	require.ErrorContains(t, err, "is no regular file")
}

// A file whose name is none of a skill is told with what it should be, and read as no skill.
func TestAFileWithANameOfNoSkillIsTold(t *testing.T) {
	f := Folder(t.TempDir())
	for _, name := range []string{"buy.yaml", "buy.yml", "A.yaml", "a.yml", "..*.yaml", "b c.YAML", "c.YAML",
		"buy.proposed.yaml", "notes.txt", "é.yaml", "other.yaml"} {
		require.NoError(t, os.WriteFile(filepath.Join(string(f), name), []byte(onePress), 0o600))
	}
	names, unread, err := f.Files()
	require.NoError(t, err)
	require.Equal(t, []string{"buy", "other"}, names)
	told := strings.ReplaceAll(unread.Error(), string(f)+"/", "")
	for _, says := range []string{`..*.yaml: "..*" is no name of a skill (want small letters`,
		`A.yaml: "A" is no name`, "a.yml: it is not read: name it a.yaml, if there is none yet",
		`b c.YAML: "b c" is no`, "buy.yml: it is not read: name it buy.yaml", "c.YAML: it is not read",
		`é.yaml: "é" is no`} {
		require.Contains(t, told, says)
	}
	require.Len(t, unread, 7, told)
	_, err = f.Read("other")
	require.EqualError(t, err, f.Path("other")+":1:7: name: want that of the file, other, and not buy")
	_, err = f.Read("a")
	require.EqualError(t, err, `there is no skill "a"`)
	require.Contains(t, hint.Of(err), "taploop skill check")
}

// What is proposed takes the place of the file, which keeps its mode and stays behind a link. One that
// was changed since then, or removed, is left as it is.
func TestWhatIsProposedIsTakenForTheFileThatItIsFor(t *testing.T) {
	dir := t.TempDir()
	f, of := Folder(dir), filepath.Join(dir, "of.yaml.kept")
	s, err := Parse("x", []byte(onePress))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(of, []byte(onePress), 0o600))
	require.NoError(t, os.Chmod(of, 0o640))
	require.NoError(t, os.Symlink(of, f.Path("buy")))
	s.Description = "healed"
	require.NoError(t, f.Propose(s))
	require.NoError(t, f.Take("buy"))
	info, err := os.Stat(of)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode())
	taken, err := f.Read("buy")
	require.NoError(t, err)
	require.Equal(t, "healed", taken.Description)
	s.Description = "healed again"
	require.NoError(t, f.Propose(s))
	later := time.Now().Add(time.Hour)
	require.NoError(t, os.Chtimes(of, later, later))
	require.ErrorIs(t, f.Take("buy"), ErrStale)
	require.NoError(t, os.Remove(f.Path("buy")))
	require.ErrorIs(t, f.Take("buy"), fs.ErrNotExist)
	require.NoFileExists(t, f.Path("buy"))
}

// Where nothing can be written the error says what helps, and no name leads out of the folder.
func TestAFolderThatCannotBeWrittenSaysWhatHelps(t *testing.T) {
	s, err := Parse("buy.yaml", []byte(onePress))
	require.NoError(t, err)
	for _, err := range []error{Folder("/proc/skills").Write(s), Folder("/proc/skills").Propose(s),
		Folder("/proc/skills").Take("buy"), Folder("/dev/null").Write(s)} {
		require.Contains(t, hint.Of(err), "see that this user may write to ")
	}
	dir := t.TempDir()
	f := Folder(filepath.Join(dir, "skills"))
	require.NoError(t, Folder(dir).Write(s))
	require.ErrorContains(t, f.Remove("../buy"), "is no name of a skill")
	require.FileExists(t, Folder(dir).Path("buy"))
}
