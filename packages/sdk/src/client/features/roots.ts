/** Roots as this side offers them: a list or a function, for live requests and for multi-round input alike. */

import { PorticoError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { Root } from '../../protocol/roots.ts'
import type { AskContext } from '../asking/ask-context.ts'

/** The places a server may work in, or a function that gives them. */
export type RootsSource = readonly Root[] | ((context: AskContext) => readonly Root[] | Promise<readonly Root[]>)

export async function answerRoots(source: RootsSource, context: AskContext): Promise<JsonObject> {
  const roots: unknown = typeof source === 'function' ? await source(context) : source
  if (!Array.isArray(roots) || !roots.every((root) => isObject(root) && typeof root.uri === 'string')) {
    throw new PorticoError('invalid-arguments', 'The roots must be a list of records with a uri')
  }
  for (const root of roots) checkRoot(root)
  return { roots }
}

/** A fixed list can be checked before anybody asks for it. */
export function checkRoots(source: RootsSource): void {
  if (typeof source !== 'function') for (const root of source) checkRoot(root)
}

/** A root is a local \`file:\` URI that says plainly where it leads (sec-120). */
function checkRoot({ uri }: Root): void {
  const plain = URL.canParse(uri) && new URL(uri).protocol === 'file:' && new URL(uri).host === ''
  const steps = uri.split(/[/\\]/).map((step) => step.replace(/%2e/gi, '.'))
  if (plain && !steps.includes('..') && !steps.includes('.') && !/%2f|%5c|%00/i.test(uri)) return
  throw new PorticoError('invalid-definition', `${JSON.stringify(uri)} is no local file: URI without detours`)
}
