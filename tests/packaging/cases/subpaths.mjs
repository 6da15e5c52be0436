// Importing does nothing: no output, no engine started, no global read.
for (const name of ["storage", "node", "tools", "files", "testing", "slim", "url"]) {
  const module = await import(`blockedby/${name}`);
  console.log(name, Object.keys(module).length > 0);
}
