/** Roots seen from a server: which folders the client lets it work in. */

import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { ListRootsResult, Root } from '../../protocol/roots.ts'
import { type Asker, askClient, requireClient } from '../asking/asking.ts'
import type { ServerCall } from '../call/call.ts'

export async function askRoots(asker: Asker, call: ServerCall, key: string | undefined): Promise<Root[]> {
  requireClient(call, 'roots')
  return askClient(asker, call, { key, kind: 'roots', method: 'roots/list', params: {} }, readRoots)
}

function readRoots(response: JsonObject): Root[] | undefined {
  const { roots } = response as Partial<ListRootsResult>
  if (!Array.isArray(roots)) return undefined
  return roots.every((root) => isObject(root) && typeof root.uri === 'string') ? roots : undefined
}
