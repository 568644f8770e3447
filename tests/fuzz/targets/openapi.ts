/** OpenAPI descriptions, which come from whoever offers a service: every operation becomes a tool or is left out with a reason. */

import { createServer } from '../../../packages/sdk/src/server/server.ts'
import { readBaseUrl } from '../../../packages/servers/src/openapi/base-url.ts'
import { toDescription } from '../../../packages/servers/src/openapi/description.ts'
import { type Operation, readOperations } from '../../../packages/servers/src/openapi/operation.ts'
import { describe, toInputSchema, toTool } from '../../../packages/servers/src/openapi/operation-tool.ts'
import { createSearchTools } from '../../../packages/servers/src/openapi/search-tools.ts'
import { selectOperations } from '../../../packages/servers/src/openapi/selection.ts'
import type { Service } from '../../../packages/servers/src/openapi/service.ts'
import { mutated } from '../mutations.ts'
import { demand, opened, type Target } from '../target.ts'
import { CORPUS } from './corpus.ts'

export const openapi: Target = {
  name: 'openapi',
  about: 'descriptions of services, as tools',
  open: () => opened({ arbitrary: mutated(CORPUS.openapi), run: describeAll }),
}

function describeAll(text: string): void {
  const value = parse(text)
  if (value === undefined) return
  const description = refused(() => toDescription(value))
  if (description === undefined) return
  const base = refused(() => readBaseUrl(description, {}))
  demand(base === undefined || /^https?:$/.test(base.protocol), `a base of another kind: ${base?.protocol}`)
  const { operations, skipped } = readOperations(description)
  demand(
    operations.every(({ id }) => /^[\w-]{1,64}$/.test(id)),
    'an id that is no name of a tool',
  )
  demand(new Set(operations.map(({ id }) => id)).size === operations.length, 'two operations with one name')
  const reads = selectOperations(operations, { write: false })
  demand(
    reads.every(({ method }) => method === 'GET' || method === 'HEAD'),
    'an operation that writes was selected',
  )
  // Nothing is called, so that there is no service behind them.
  const service = {} as Service
  const server = createServer({ name: 'described', version: '1' })
  for (const operation of operations.slice(0, MAX_TOOLS)) {
    refused(() => server.tool(operation.id, toTool(description, service, operation)))
    demandNames(operation, toInputSchema(description, operation, true))
    describe(operation)
  }
  createSearchTools(description, service, operations)
  demand(
    skipped.every((reason) => typeof reason === 'string'),
    'left out without a reason',
  )
}

const MAX_TOOLS = 20

/** Every argument that is sent has a place in the schema, and each a place of its own. */
function demandNames({ parameters }: Operation, schema: object): void {
  const names = parameters.map(({ argument }) => argument)
  demand(new Set(names).size === names.length, 'two parameters with one name')
  const { properties } = schema as { readonly properties: object }
  demand(
    names.every((name) => Object.hasOwn(properties, name)),
    'a parameter that nobody can give',
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What it came to; undefined where the description was refused in a way that its callers know. */
function refused<T>(action: () => T): T | undefined {
  try {
    return action()
  } catch (error) {
    const kind = error instanceof Error ? error.constructor.name : ''
    demand(kind === 'PorticoError' || kind === 'Unusable', `an error of no known kind: ${String(error)}`)
    return undefined
  }
}
