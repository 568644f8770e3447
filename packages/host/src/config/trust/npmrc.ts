/**
 * Settings of npm out of one file, one environment or one command line, read as npm reads them: `npm-registry.ts` puts
 * them in order. Only plain settings are taken; credentials in such a file are read over and never leave this module.
 */

/** By the name of the setting. */
export type NpmSettings = ReadonlyMap<string, string>

/** The value of a variable; throws for one whose value may not be used. */
export type ReadVariable = (name: string) => string | undefined

/** What the registry of a package may depend on. */
const WANTED = /^(?:registry|userconfig|globalconfig|prefix|scope|@[^:/]+:registry)$/

/** What else decides which content npm gets under a name. */
const FETCHING = /^(?:tag|before|(?:https?-)?proxy|strict-ssl|ca|cafile|replace-registry-host)$/

/** The text of an `.npmrc` of the user's. */
export function readNpmrc(text: string, read: ReadVariable): NpmSettings {
  const settings = new Map<string, string>()
  for (const [key, value] of linesOf(text)) {
    const name = replaceVariables(key, read)
    if (WANTED.test(name)) settings.set(name, replaceVariables(value, read).trim())
  }
  return settings
}

/**
 * Whether an `.npmrc` that is not the user's has a say in where a package of these scopes is from. Only the names of its
 * settings are looked at, and no variable is replaced. What the command says itself stands before it.
 */
export function hasSay(text: string, scopes: readonly string[], command: NpmSettings): boolean {
  return linesOf(text).some(([key]) => {
    if (key.includes('${') || FETCHING.test(key)) return true
    if (!WANTED.test(key) || command.has(key)) return false
    return !key.startsWith('@') || scopes.some((scope) => key === `${scope}:registry`)
  })
}

function linesOf(text: string): readonly (readonly [key: string, value: string])[] {
  const found: [string, string][] = []
  for (const line of text.replace(/^\uFEFF/, '').split(/[\r\n]+/)) {
    if (/^\s*(?:[;#]|$)/.test(line)) continue
    // What stands below the title of a section is no setting of npm's.
    if (/^\[[^\]]*\]\s*$/.test(line)) break
    const [, key, value] = /^([^=]+)=(.*)$/.exec(line) ?? []
    // A list of one is taken for its only member.
    if (key !== undefined && value !== undefined) found.push([toPlain(key).replace(/\[\]$/, ''), toPlain(value)])
  }
  return found
}

/** `npm_config_registry` in any spelling; empty ones say nothing. */
export function readNpmEnvironment(env: { readonly [name: string]: string }, read: ReadVariable): NpmSettings {
  const settings = new Map<string, string>()
  for (const [variable, value] of Object.entries(env)) {
    if (!/^npm_config_/i.test(variable) || value === '') continue
    const name = variable
      .slice('npm_config_'.length)
      .replace(/(?!^)_/g, '-')
      .toLowerCase()
    if (WANTED.test(name)) settings.set(name, replaceVariables((read(variable) ?? '').trim(), read))
  }
  return settings
}

const NAMES = ['registry', 'userconfig', 'globalconfig', 'prefix', 'scope']

/** Options of a command; npm takes the beginning of a name for the whole, too. */
export function readNpmOptions(options: ReadonlyMap<string, string>): NpmSettings {
  const settings = new Map<string, string>()
  for (const [option, value] of options) {
    const given = option.replace(/^--/, '')
    const name = (given.length >= 3 && NAMES.find((one) => one.startsWith(given))) || given
    if (WANTED.test(name)) settings.set(name, value.trim())
  }
  return settings
}

/** `${NAME}`, and `${NAME?}` for nothing where it is not set. A variable that is not set stays as it is written. */
function replaceVariables(text: string, read: ReadVariable): string {
  return text.replace(/(?<!\\)(\\*)\$\{([^${}?]+)(\?)?\}/g, (whole, escapes: string, name: string, mark?: string) => {
    if (escapes.length % 2 === 1) return whole.slice((escapes.length + 1) / 2)
    return escapes.slice(escapes.length / 2) + (read(name) ?? (mark === '?' ? '' : `\${${name}}`))
  })
}

/** Without quotes, escapes and what is a comment at the end. */
function toPlain(raw: string): string {
  const text = raw.trim()
  if (/^".*"$/.test(text) || /^'.*'$/.test(text)) {
    const inner = text.startsWith("'") ? text.slice(1, -1) : text
    try {
      const value: unknown = JSON.parse(inner)
      return String(value)
    } catch {
      return inner
    }
  }
  let plain = ''
  for (let at = 0; at < text.length; at++) {
    const one = text.charAt(at)
    if (one === ';' || one === '#') break
    const next = text.charAt(at + 1)
    if (one === '\\' && next !== '' && '\\;#'.includes(next)) at++
    plain += one === '\\' && next !== '' && '\\;#'.includes(next) ? next : one
  }
  return plain.trim()
}
