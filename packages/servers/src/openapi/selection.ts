/** Chooses the operations that are offered: what only reads, unless told otherwise, then by the operator's patterns. */

import { createWildcard } from '@portico/sdk/internal'
import { PorticoError } from '@portico/sdk/server'
import type { Operation } from './operation.ts'

interface SelectionOptions {
  /** Patterns; an operation that fits any is offered. All by default. */
  readonly include?: readonly string[] | undefined
  /** Patterns; an operation that fits any is not offered, whatever `include` says. */
  readonly exclude?: readonly string[] | undefined
  /** Offers what may change something: everything but GET and HEAD. */
  readonly write: boolean
}

export function selectOperations(operations: readonly Operation[], options: SelectionOptions): Operation[] {
  const include = options.include?.map(toRule)
  const exclude = options.exclude?.map(toRule) ?? []
  return operations.filter(
    (operation) =>
      (options.write || isReading(operation)) &&
      (include === undefined || include.length === 0 || include.some((fits) => fits(operation))) &&
      !exclude.some((fits) => fits(operation)),
  )
}

export function isReading({ method }: Operation): boolean {
  return method === 'GET' || method === 'HEAD'
}

type Rule = (operation: Operation) => boolean

/** `listPets`, `list*`, `tag:pets`, `method:POST`, `path:/pets/*`. */
function toRule(pattern: string): Rule {
  const [, kind = 'id', value = ''] = /^(?:(tag|method|path|id):)?(.+)$/s.exec(pattern) ?? []
  if (value === '') throw new PorticoError('invalid-arguments', 'include and exclude take patterns that are not empty')
  const fits = createWildcard(value, '*')
  if (kind === 'tag') return ({ tags }) => tags.some(fits)
  if (kind === 'method') return ({ method }) => method === value.toUpperCase()
  return kind === 'path' ? ({ path }) => fits(path) : ({ id }) => fits(id)
}
