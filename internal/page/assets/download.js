// Files that the server makes.
import { ask, problem, read } from "./api.js";

// download saves what is at a path under a name. A link sends no header. It returns what is wrong, or nothing.
export async function download(path, name) {
  const r = await ask(path);
  if (!r.ok) return problem(read(await r.text()));
  const url = URL.createObjectURL(await r.blob()), a = document.createElement("a");
  a.href = url;
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
  return undefined;
}
