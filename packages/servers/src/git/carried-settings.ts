/**
 * Which of a repository's settings reach git. Those that decide how files are compared and stored, who commits and which
 * branch follows which do; no other does, so that a setting which names a program need not be known to be kept out.
 */

import { ToolError } from '@portico/sdk/server'
import type { Setting } from './environment.ts'

const CARRIED: readonly string[] = [
  'core.repositoryformatversion',
  'core.filemode',
  'core.symlinks',
  'core.ignorecase',
  'core.precomposeunicode',
  'core.longpaths',
  'core.autocrlf',
  'core.eol',
  'core.safecrlf',
  'core.checkroundtripencoding',
  'core.whitespace',
  'core.trustctime',
  'core.checkstat',
  'core.bigfilethreshold',
  'core.logallrefupdates',
  'core.sharedrepository',
  'core.sparsecheckout',
  'core.sparsecheckoutcone',
  'core.prefersymlinkrefs',
  'index.sparse',
  'index.version',
  'diff.renames',
  'diff.renamelimit',
  'diff.algorithm',
  'diff.indentheuristic',
  'merge.conflictstyle',
  'merge.renames',
  'merge.renamelimit',
  'merge.directoryrenames',
  'status.renames',
  'status.renamelimit',
  'user.name',
  'user.email',
  'extensions.objectformat',
  'extensions.refstorage',
]

/** Of branches and remotes, what says which follows which; no address. */
const CARRIED_PARTS: { readonly [section: string]: readonly string[] } = {
  branch: ['remote', 'merge'],
  remote: ['fetch'],
}

/** Extensions that can be left out: what they change is nothing that this server does, or is read before. */
const SPARED = ['noop', 'noop-v1', 'partialclone', 'preciousobjects', 'worktreeconfig', 'relativeworktrees']

const MAX_SETTINGS = 20_000

/** Reads what `git config --list -z` printed. What is not UTF-8 is no setting that is carried. */
export function parseSettings(output: Buffer): Setting[] {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const settings: Setting[] = []
  let from = 0
  for (let to = output.indexOf(0); to !== -1 && settings.length < MAX_SETTINGS; to = output.indexOf(0, from)) {
    const entry = output.subarray(from, to)
    from = to + 1
    try {
      const text = decoder.decode(entry)
      const end = text.indexOf('\n')
      // A name with no value means true.
      settings.push(end === -1 ? [text, 'true'] : [text.slice(0, end), text.slice(end + 1)])
    } catch {
      // Not UTF-8.
    }
  }
  return settings
}

/** The text of a configuration that holds what is carried, or an error for a repository of a kind that is not known. */
export function toConfiguration(settings: readonly Setting[]): string {
  const lines: string[] = []
  for (const [key, value] of settings) {
    const { section, group, name } = partsOf(key)
    if (section === 'extensions' && !SPARED.includes(name) && !CARRIED.includes(`${section}.${name}`)) {
      throw new ToolError(`The repository needs the extension ${JSON.stringify(name)}, which this server does not know`)
    }
    const isCarried =
      group === undefined
        ? CARRIED.includes(`${section}.${name}`)
        : Object.hasOwn(CARRIED_PARTS, section) && CARRIED_PARTS[section]?.includes(name)
    if (!isCarried) continue
    lines.push(group === undefined ? `[${section}]` : `[${section} "${group.replace(/["\\]/g, '\\$&')}"]`)
    lines.push(`\t${name} = ${quoted(value)}`)
  }
  return `${lines.join('\n')}\n`
}

/** Whether a setting that is given more than once ends as true. */
export function isOn(settings: readonly Setting[], wanted: string): boolean {
  const value = settings.findLast(([key]) => key === wanted)?.[1] ?? ''
  return /^(?:true|yes|on|[1-9]\d*)$/i.test(value)
}

/** git prints section and name in small letters; what is between may hold dots. */
function partsOf(key: string): { section: string; group: string | undefined; name: string } {
  const first = key.indexOf('.')
  const last = key.lastIndexOf('.')
  const group = last > first ? key.slice(first + 1, last) : undefined
  return { section: key.slice(0, first), group, name: key.slice(last + 1) }
}

const ESCAPES: { readonly [character: string]: string } = {
  '\\': '\\\\',
  '"': '\\"',
  '\n': '\\n',
  '\t': '\\t',
  '\b': '\\b',
}

function quoted(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape for it is one of git's own
  return `"${value.replace(/[\\"\n\t\u0008]/g, (one) => ESCAPES[one] ?? '')}"`
}
