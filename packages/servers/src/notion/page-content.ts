/** Reads what is in a page: its blocks with what is inside them, bounded in number and depth. */

import { toLine, toList, toObject, toText } from '../vendor/values.ts'
import type { VendorHost } from '../vendor/vendor-host.ts'
import { pathOf } from '../vendor/vendor-path.ts'
import type { Patience } from '../vendor/vendor-service.ts'
import { fromBlock } from './blocks.ts'

const MAX_REQUESTS = 30
const MAX_DEPTH = 4
/** What has a content of its own is asked for by its own id. */
const CLOSED = new Set(['child_page', 'child_database'])

export async function readContent(host: VendorHost, id: string, ctx: Patience): Promise<string> {
  const budget = { requests: MAX_REQUESTS }
  const lines = await readLevel(host, id, ctx, { budget, depth: 0 })
  return budget.requests < 0 ? [...lines, '[The rest of the page is left out.]'].join('\n') : lines.join('\n')
}

interface Level {
  readonly budget: { requests: number }
  readonly depth: number
}

async function readLevel(host: VendorHost, id: string, ctx: Patience, { budget, depth }: Level): Promise<string[]> {
  const lines: string[] = []
  let cursor: string | undefined
  do {
    if (--budget.requests < 0) return lines
    const query = { page_size: 100, start_cursor: cursor }
    const page = toObject((await host.service.send(pathOf`/blocks/${id}/children`, { query }, ctx)).json)
    for (const block of toList(page.results)) {
      const line = fromBlock(block)
      if (line !== '') lines.push('  '.repeat(depth) + line.replaceAll('\n', `\n${'  '.repeat(depth)}`))
      if (block.has_children !== true || CLOSED.has(toText(block.type))) continue
      if (depth + 1 >= MAX_DEPTH) lines.push(`${'  '.repeat(depth + 1)}[more inside ${toLine(block.id, 40)}]`)
      else lines.push(...(await readLevel(host, toText(block.id), ctx, { budget, depth: depth + 1 })))
    }
    cursor = page.has_more === true ? toText(page.next_cursor) || undefined : undefined
  } while (cursor !== undefined)
  return lines
}
