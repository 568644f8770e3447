/**
 * Settings of npm out of one file, one environment or one command line, read as npm reads them: `npm-registry.ts` puts
 * them in order. Only plain settings are taken; credentials in such a file are read over and never leave this module.
 */

/** By the name of the setting. */
export type NpmSettings = ReadonlyMap<string, string>

type Environment = { readonly [name: string]: string | undefined }

/** What the registry of a package may depend on. */
const WANTED = /^(?:registry|userconfig|globalconfig|prefix|scope|@[^:/]+:registry)$/

/** The text of an `.npmrc`. Variables mean what they mean in the environment of npm. */
export function readNpmrc(text: string, env: Environment): NpmSettings {
  const settings = new Map<string, string>()
  for (const line of text.replace(/^\uFEFF/, '').split(/[\r\n]+/)) {
    if (/^\s*(?:[;#]|$)/.test(line)) continue
    // What stands below the title of a section is no setting of npm's.
    if (/^\[[^\]]*\]\s*$/.test(line)) break
    const [, key, value] = /^([^=]+)=(.*)$/.exec(line) ?? []
    if (key === undefined || value === undefined) continue
    const name = replaceVariables(toPlain(key), env)
    if (WANTED.test(name)) settings.set(name, replaceVariables(toPlain(value), env).trim())
  }
  return settings
}

/** `npm_config_registry` in any spelling; empty ones say nothing. */
export function readNpmEnvironment(env: Environment): NpmSettings {
  const settings = new Map<string, string>()
  for (const [variable, value] of Object.entries(env)) {
    if (!/^npm_config_/i.test(variable) || value === undefined || value === '') continue
    const name = variable
      .slice('npm_config_'.length)
      .replace(/(?!^)_/g, '-')
      .toLowerCase()
    if (WANTED.test(name)) settings.set(name, replaceVariables(value.trim(), env))
  }
  return settings
}

/** Options of a command; npm takes the beginning of a name for the whole, too. */
export function readNpmOptions(options: ReadonlyMap<string, string>, env: Environment): NpmSettings {
  const settings = new Map<string, string>()
  for (const [option, value] of options) {
    const given = option.replace(/^--/, '')
    const name = given.length >= 3 && 'registry'.startsWith(given) ? 'registry' : given
    if (WANTED.test(name)) settings.set(name, replaceVariables(value.trim(), env))
  }
  return settings
}

/** `${NAME}`, and `${NAME?}` for nothing where it is not set. A variable that is not set stays as it is written. */
function replaceVariables(text: string, env: Environment): string {
  return text.replace(/(?<!\\)(\\*)\$\{([^${}?]+)(\?)?\}/g, (whole, escapes: string, name: string, mark?: string) => {
    if (escapes.length % 2 === 1) return whole.slice((escapes.length + 1) / 2)
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    return escapes.slice(escapes.length / 2) + (value ?? (mark === '?' ? '' : `\${${name}}`))
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
