/**
 * URI templates (RFC 6570), as resource templates use them: parsed once when a resource is defined, expanded by clients,
 * matched by servers to find the resource that a URI asks for.
 */

import type { TemplateValues } from './uri-template-expand.ts'
import { expandParts } from './uri-template-expand.ts'
import type { TemplateMatch } from './uri-template-match.ts'
import { createMatcher } from './uri-template-match.ts'
import { parseParts } from './uri-template-syntax.ts'

export type { TemplateValues } from './uri-template-expand.ts'
export type { TemplateMatch } from './uri-template-match.ts'
export { TEMPLATE_LIMITS } from './uri-template-syntax.ts'

export interface UriTemplate {
  readonly source: string
  /** Each variable once, in order of appearance. */
  readonly names: readonly string[]
  /** What every URI of the template starts with. */
  readonly literalPrefix: string
  expand(values: TemplateValues): string
  /** The decoded values, or undefined when the template cannot have made the URI. */
  match(uri: string): TemplateMatch | undefined
}

/** Throws `invalid-definition` for what is not a template, or beyond `TEMPLATE_LIMITS`. */
export function parseTemplate(source: string): UriTemplate {
  const parts = parseParts(source)
  const names = parts.flatMap((part) => (part.kind === 'expression' ? part.variables.map(({ name }) => name) : []))
  return {
    source,
    names: [...new Set(names)],
    literalPrefix: parts[0]?.kind === 'literal' ? parts[0].text : '',
    expand: (values) => expandParts(parts, values),
    match: createMatcher(parts),
  }
}
