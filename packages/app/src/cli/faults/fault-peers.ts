/**
 * Portico's own side of `portico faults`, as programs of their own: the server that others are compared with, and the client.
 * Both are this same command, so that what is compared is what is installed.
 */

import { createInterface } from 'node:readline'
import { connect, type JsonObject, PorticoError } from '@portico/sdk/client'
import { createWorkServer, type FaultSubject, type ForeignCommand } from '@portico/sdk/testing/faults'
import type { Io } from '../terminal/io.ts'

/** How this very program is started once more. */
export function ownProgram(words: readonly string[]): ForeignCommand {
  const [command = 'node', script = ''] = process.argv
  return { command, args: [...process.execArgv, script, ...words] }
}

export function ownFaultCommand(flag: '--as-server' | '--as-client'): ForeignCommand {
  return ownProgram(['faults', flag])
}

/** Portico's own server in place of the other, reached with the same revision. What is sent to the other besides is not its own. */
export function toOwnSubject({ timeoutMs, connect }: FaultSubject, target: FaultSubject['target']): FaultSubject {
  const versions = connect?.versions
  return {
    target,
    tool: 'work',
    args: { nonce: 'x', ms: 5 },
    timeoutMs,
    ...(versions !== undefined && { connect: { versions } }),
  }
}

/** The server that Portico is tried with, on standard streams until they end. */
export async function beServer(): Promise<number> {
  const { serveStdio } = await import('@portico/sdk/stdio')
  await serveStdio(createWorkServer(), { exit: false }).closed
  return 0
}

/** Makes the calls that standard input tells, and tells their ends, until it ends. */
export async function beClient(url: string, io: Io): Promise<number> {
  const client = await connect(url, { negotiations: false, signal: io.signal })
  const calls: Promise<void>[] = []
  for await (const line of createInterface({ input: io.stdin })) {
    const { nonce, tool, arguments: args, timeoutMs } = JSON.parse(line) as ToldCall
    const tell = (end: object): void => io.out(JSON.stringify({ nonce, ...end }))
    calls.push(
      client.callTool(tool, args, { timeoutMs }).then(
        ({ content: [first] }) => tell({ text: first?.type === 'text' ? first.text : '' }),
        (error: unknown) =>
          tell({ error: String(error), ...(error instanceof PorticoError && { delivery: error.delivery }) }),
      ),
    )
  }
  await Promise.all(calls)
  await client.close()
  return 0
}

interface ToldCall {
  readonly nonce: string
  readonly tool: string
  readonly arguments: JsonObject
  readonly timeoutMs: number
}
