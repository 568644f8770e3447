/** What a caller's `_meta` says that goes on to the server. */

import { META_LOG_LEVEL } from '@portico/sdk/internal'
import type { JsonObject, LogLevel, RequestContext } from '@portico/sdk/server'

/** The caller's own `_meta`: trace context and the like. What concerns one connection stays on it. */
export function metaOf(ctx: RequestContext, logLevel?: LogLevel): JsonObject | undefined {
  const kept: [key: string, value: unknown][] = []
  for (const member of Object.entries(ctx.meta)) {
    const [key] = member
    if (key !== 'progressToken' && !key.startsWith('io.modelcontextprotocol/')) kept.push(member)
  }
  if (logLevel !== undefined) kept.push([META_LOG_LEVEL, logLevel])
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}
