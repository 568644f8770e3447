/** The keywords that put schemas together: references, `allOf`, `anyOf`, `oneOf`, `not` and `if`. */

import { formatIssues, type Issue } from './json-schema-issues.ts'
import { type Keywords, readArray, readChild, readString } from './json-schema-site.ts'
import type { Node, State } from './json-schema-state.ts'

export const reference: Keywords = (schema, site) => {
  const address = readString(schema, '$ref')
  if (address === undefined) return undefined
  const node = site.refer(address)
  return (value, state) => state.apply(node, value)
}

export const dynamicReference: Keywords = (schema, site) => {
  const address = readString(schema, '$dynamicRef')
  return address === undefined ? undefined : site.referDynamic(address)
}

export const allOf: Keywords = (schema, site) => {
  const nodes = readArray(schema, 'allOf')?.map((child) => site.child(child))
  if (nodes === undefined) return undefined
  return (value, state) => {
    let ok = true
    for (let i = 0; i < nodes.length; i++) {
      if (state.apply(nodes[i]!, value)) continue
      if (state.done) return false
      ok = false
    }
    return ok
  }
}

export const anyOf: Keywords = (schema, site) => {
  const nodes = readArray(schema, 'anyOf')?.map((child) => site.child(child))
  if (nodes === undefined) return undefined
  return (value, state) => {
    let ok = false
    for (let i = 0; i < nodes.length; i++) {
      ok = state.probe(nodes[i]!, value) || ok
      // Later branches only matter to an outer `unevaluated…`.
      if (ok && state.marks === undefined) return true
    }
    return ok || explain('anyOf', nodes, value, state)
  }
}

export const oneOf: Keywords = (schema, site) => {
  const nodes = readArray(schema, 'oneOf')?.map((child) => site.child(child))
  if (nodes === undefined) return undefined
  return (value, state) => {
    let matched = -1
    for (let i = 0; i < nodes.length; i++) {
      if (!state.probe(nodes[i]!, value)) continue
      if (matched >= 0) {
        return state.fail(
          'oneOf',
          `must fit exactly one of the allowed forms, but fits forms ${matched + 1} and ${i + 1}`,
        )
      }
      matched = i
    }
    return matched >= 0 || explain('oneOf', nodes, value, state)
  }
}

export const not: Keywords = (schema, site) => {
  const node = readChild(schema, 'not', site)
  if (node === undefined) return undefined
  return (value, state) => !state.probe(node, value) || state.fail('not', 'fits a form that is not allowed here')
}

export const conditional: Keywords = (schema, site) => {
  const test = readChild(schema, 'if', site)
  const yes = readChild(schema, 'then', site)
  const no = readChild(schema, 'else', site)
  if (test === undefined) return undefined
  return (value, state) => {
    const branch = state.probe(test, value) ? yes : no
    return branch === undefined || state.apply(branch, value)
  }
}

/** Says why the likeliest branch failed: the one that is not of another kind altogether and has least to complain of. */
function explain(keyword: string, nodes: readonly Node[], value: unknown, state: State): false {
  if (state.quiet > 0) return false
  const before = state.issues.length
  let best: Issue[] = []
  let least = Infinity
  for (const node of nodes) {
    state.apply(node, value)
    const issues = state.issues.splice(before)
    const cost = issues.length + 100 * issues.filter(isOtherKind).length
    if (issues.length > 0 && cost < least) {
      least = cost
      best = issues
    }
  }
  const reason = best.length > 0 ? `; the closest one: ${formatIssues(best.slice(0, 3))}` : ''
  return state.fail(keyword, `fits none of the ${nodes.length} allowed forms${reason}`)
}

/** A wrong type of the whole, or a wrong constant just inside it (a discriminator), says "not this branch". */
function isOtherKind({ path, keyword }: Issue): boolean {
  return (keyword === 'type' && path.length === 0) || (path.length <= 1 && (keyword === 'const' || keyword === 'enum'))
}
