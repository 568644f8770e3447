/** The process in which a description is read and checked: both can be made to take for ever by a few lines. */

import { validate } from '@readme/openapi-parser'
import { parseDocument } from 'yaml'
import type { CheckReply, CheckRequest } from './check-protocol.ts'

const MAX_PROBLEMS = 50

process.on('message', (request: CheckRequest) => void answer(request).then((reply) => process.send?.(reply)))
// Whoever asked is gone.
process.on('disconnect', () => process.exit())
process.send?.({ kind: 'ready' })

async function answer(request: CheckRequest): Promise<CheckReply> {
  try {
    return request.kind === 'yaml' ? { value: readYaml(request.text) } : { problems: await check(request.root) }
  } catch (error) {
    return { failed: error instanceof Error ? error.message.slice(0, 500) : 'unknown' }
  }
}

function readYaml(text: string): unknown {
  // Aliases that unfold into millions of nodes are refused by their number.
  const document = parseDocument(text, { uniqueKeys: true, schema: 'core' })
  const [mistake] = document.errors
  if (mistake !== undefined) throw mistake
  return document.toJS({ maxAliasCount: 100 })
}

async function check(root: unknown): Promise<string[]> {
  // The argument type repeats what the validator checks itself.
  const description = root as Parameters<typeof validate>[0]
  const found = await validate(description, { resolve: { external: false }, validate: { errors: { colorize: false } } })
  return found.valid ? [] : found.errors.slice(0, MAX_PROBLEMS).map(({ message }) => message.slice(0, 500))
}
