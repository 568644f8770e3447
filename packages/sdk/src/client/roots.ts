/** Roots as this side offers them: a list or a function, for live requests and for multi-round input alike. */

import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import type { Root } from '../protocol/roots.ts'

export type RootsSource = readonly Root[] | (() => readonly Root[] | Promise<readonly Root[]>)

export async function answerRoots(source: RootsSource): Promise<JsonObject> {
  const roots = typeof source === 'function' ? await source() : source
  return { roots: roots.filter((root) => isObject(root) && typeof root.uri === 'string') }
}
