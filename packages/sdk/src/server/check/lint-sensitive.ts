/** Secrets have no place in arguments, which models see and logs keep, and none at all in headers (sec-28). */

import type { Finding } from './lint-finding.ts'
import type { SchemaSite } from './lint-schema.ts'

const SECRETS =
  /^(?:.*(?:passwords?|passwd|passphrases?|secrets?|credentials?|api-?keys?|private-?keys?|access-?keys?|auth-?tokens?|(?:access|refresh|bearer|session|id)-?tokens?|cvv|cvc|card-?numbers?|ssn|social-?security(?:-?numbers?)?)|pin|token|pwd|otp)$/

/** Whether a field of this name asks for something that must stay secret. */
export function isSensitive(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
  return SECRETS.test(words)
}

/** In headers, a bare `key` is suspicious too. */
function isSensitiveHeader(name: string): boolean {
  return isSensitive(name) || /(?:^|[-_])(?:token|secret|password|key)s?(?:$|[-_])/i.test(name)
}

export function lintSensitive(sites: readonly SchemaSite[]): Finding[] {
  return sites.flatMap(({ where, property, schema }): Finding[] => {
    if (property === undefined) return []
    const header = schema['x-mcp-header']
    if (typeof header === 'string' && (isSensitiveHeader(header) || isSensitiveHeader(property))) {
      const message = `"${property}" is mirrored into the header Mcp-Param-${header}, which proxies and logs see`
      return [
        { rule: 'header-sensitive', severity: 'error', where, message, fix: 'Remove `x-mcp-header` from this field.' },
      ]
    }
    if (!isSensitive(property)) return []
    const message = `"${property}" would pass through the model and its logs`
    const fix = 'Take it from the environment or the verified principal, or ask the user by URL.'
    return [{ rule: 'argument-sensitive', severity: 'warning', where, message, fix }]
  })
}
