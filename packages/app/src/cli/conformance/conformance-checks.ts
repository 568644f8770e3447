/**
 * What every server must do on every revision, tried from the client's side. Nothing here can do harm: lists are read,
 * what does not exist is asked for, and no tool is called that the server has.
 */

import { type Client, PorticoError, type ProtocolVersion, RpcError } from '@portico/sdk/client'

export interface Outcome {
  readonly outcome: 'pass' | 'fail' | 'skip'
  readonly detail: string
}

interface Check {
  readonly name: string
  run(client: Client, revision: ProtocolVersion, signal: AbortSignal): Promise<Outcome>
}

const METHOD_NOT_FOUND = -32601
const NOWHERE = 'portico-conformance-does-not-exist'
const PARALLEL = 20

export const CHECKS: readonly Check[] = [
  {
    name: 'settles the revision that was offered',
    run: async ({ version }, revision) =>
      version === revision ? pass(version) : fail(`answered with ${version} instead`),
  },
  {
    name: 'says who it is',
    run: async ({ server }) =>
      server.info?.name ? pass(`${server.info.name} ${server.info.version ?? ''}`.trim()) : fail('gives no name'),
  },
  {
    name: 'answers a ping',
    run: async (client, _revision, signal) => {
      await client.ping({ signal })
      return pass()
    },
  },
  {
    name: 'lists its tools, whole and valid',
    run: async (client) => {
      if (client.server.capabilities.tools === undefined) return skip('no tools')
      const tools = await client.listTools()
      const odd = tools.find(({ inputSchema }) => inputSchema.type !== 'object')
      if (odd !== undefined) return fail(`the input schema of "${odd.name}" is not of type object`)
      return unique(tools.map(({ name }) => name))
    },
  },
  {
    name: 'lists its resources, whole and valid',
    run: async (client) => {
      if (client.server.capabilities.resources === undefined) return skip('no resources')
      await client.listResourceTemplates()
      return unique((await client.listResources()).map(({ uri }) => uri))
    },
  },
  {
    name: 'lists its prompts, whole and valid',
    run: async (client) => {
      if (client.server.capabilities.prompts === undefined) return skip('no prompts')
      return unique((await client.listPrompts()).map(({ name }) => name))
    },
  },
  {
    name: 'answers an unknown method with -32601',
    run: (client, _revision, signal) =>
      refused(client.request(`${NOWHERE}/method`, {}, { signal }), (code) => code === METHOD_NOT_FOUND),
  },
  {
    name: 'refuses a tool that does not exist',
    run: async (client, _revision, signal) => {
      if (client.server.capabilities.tools === undefined) return skip('no tools')
      return refused(
        client.callTool(NOWHERE, {}, { signal }).then((result) => (result.isError === true ? 'refused' : result)),
      )
    },
  },
  {
    name: 'refuses a call without a name',
    run: async (client, _revision, signal) => {
      if (client.server.capabilities.tools === undefined) return skip('no tools')
      return refused(client.request('tools/call', { arguments: {} }, { signal }))
    },
  },
  {
    name: 'refuses a resource that does not exist',
    run: async (client, _revision, signal) => {
      if (client.server.capabilities.resources === undefined) return skip('no resources')
      return refused(client.readResource(`${NOWHERE}:///nothing`, { signal }))
    },
  },
  {
    name: 'refuses a prompt that does not exist',
    run: async (client, _revision, signal) => {
      if (client.server.capabilities.prompts === undefined) return skip('no prompts')
      return refused(client.getPrompt(NOWHERE, {}, { signal }))
    },
  },
  {
    name: `answers ${PARALLEL} requests at once`,
    run: async (client, _revision, signal) => {
      await Promise.all(Array.from({ length: PARALLEL }, () => client.ping({ signal })))
      return pass()
    },
  },
  {
    name: 'goes on after a request was cancelled',
    run: async (client, _revision, signal) => {
      const controller = new AbortController()
      const cancelled = client.ping({ signal: controller.signal }).catch(() => {})
      controller.abort()
      await cancelled
      await client.ping({ signal })
      return pass()
    },
  },
]

/** An error that the server itself answered with; with `fits`, one of those codes. */
async function refused(answer: Promise<unknown>, fits: (code: number) => boolean = () => true): Promise<Outcome> {
  try {
    const value = await answer
    return value === 'refused' ? pass('as a result with isError') : fail('answered as if it were there')
  } catch (error) {
    if (!(error instanceof RpcError)) {
      if (error instanceof PorticoError && error.code === 'not-found')
        return pass('the client knows that it is not listed')
      throw error
    }
    return fits(error.rpcCode) ? pass(String(error.rpcCode)) : fail(`answered with ${error.rpcCode}: ${error.message}`)
  }
}

function unique(names: readonly string[]): Outcome {
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  return twice === undefined ? pass(`${names.length}`) : fail(`"${twice}" is listed twice`)
}

function pass(detail = ''): Outcome {
  return { outcome: 'pass', detail }
}

function fail(detail: string): Outcome {
  return { outcome: 'fail', detail }
}

function skip(detail: string): Outcome {
  return { outcome: 'skip', detail }
}
