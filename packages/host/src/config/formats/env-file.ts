/** Files of `NAME=value` lines that VS Code and Cursor let a server take its environment from. */

const MAX_LINES = 10_000

/** Comments, `export`, and quotes are understood; nothing is expanded. */
export function parseEnvFile(text: string): { [name: string]: string } {
  const values: { [name: string]: string } = {}
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/, MAX_LINES)) {
    const [, name, raw = ''] = /^\s*(?:export\s+)?([A-Za-z_][\w.]*)\s*=(.*)$/.exec(line) ?? []
    if (name !== undefined && name !== '__proto__') values[name] = unquote(raw.trim())
  }
  return values
}

function unquote(raw: string): string {
  const quote = raw[0]
  const end = quote === '"' || quote === "'" ? raw.indexOf(quote, 1) : -1
  if (end === -1) return raw.replace(/\s#.*$/s, '').trimEnd()
  const inner = raw.slice(1, end)
  return quote === '"' ? inner.replaceAll('\\n', '\n') : inner
}
