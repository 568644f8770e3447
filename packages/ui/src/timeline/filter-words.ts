/** What may come next in a filter that is being typed. The program is the one that reads it; this only proposes. */

const KEYS = ['method:', 'status:', 'dur:', 'server:', 'kind:', 'dir:', 'name:', 'size:']

const VALUES: { readonly [key: string]: readonly string[] } = {
  method: [
    'tools/call',
    'tools/list',
    'resources/read',
    'prompts/get',
    'sampling/createMessage',
    'elicitation/create',
    'notifications/*',
    'initialize',
  ],
  status: ['ok', 'error', 'pending'],
  dur: ['>100ms', '>500ms', '>2s'],
  kind: ['request', 'response', 'error', 'notification', 'closed'],
  dir: ['in', 'out'],
  size: ['>10kb', '>1mb'],
}

/** Whole filters: what stands there, with its last word completed. */
export function proposalsFor(typed: string, servers: readonly string[]): string[] {
  const start = typed.lastIndexOf(' ') + 1
  const last = typed.slice(start)
  if (last.includes('"')) return []
  const [, minus = '', key, value] = /^(-?)(?:(\w+):)?(.*)$/.exec(last) ?? []
  const before = typed.slice(0, start) + minus
  if (key === undefined) {
    const keys = KEYS.filter((one) => one.startsWith(value ?? '') && !typed.includes(` ${one}`))
    return (value ?? '') === '' && start > 0 ? [] : keys.map((one) => before + one)
  }
  const known = key === 'server' ? servers.map(quote) : (VALUES[key] ?? [])
  const fitting = known.filter((one) => one.startsWith(value ?? '') && one !== value)
  return fitting.slice(0, 12).map((one) => `${before}${key}:${one}`)
}

function quote(name: string): string {
  return /\s/.test(name) ? `"${name}"` : name
}
