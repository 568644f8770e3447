/** The port for those who run the gateway, as the section `gateway.operations` asks for it. */

import { HostError } from '@portico/host/errors'
import { type Gateway, type OperationsServer, serveOperations } from '@portico/host/gateway'
import { CliError } from '../../exit-codes.ts'
import type { Io } from '../terminal/io.ts'
import { describeOwner } from '../terminal/listening.ts'
import { toLine } from '../terminal/plain-text.ts'
import type { OperationsSettings } from './gateway-settings.ts'
import { NEW_TOKEN, readSecretSetting } from './secret-setting.ts'

interface Operated {
  readonly gateway: Gateway
  reload(): Promise<void>
  /** Whether whatever else serves here is ready too. */
  readonly ready?: () => boolean
}

const TOKEN = { what: 'the token for operations', setting: 'gateway.operations.token', example: NEW_TOKEN }

/** Opens the port, or does nothing where the file has no such section. */
export async function openOperations(
  { gateway, reload, ready }: Operated,
  settings: OperationsSettings | undefined,
  io: Io,
): Promise<OperationsServer | undefined> {
  if (settings === undefined) return undefined
  const { token: variable, ...place } = settings
  const token = variable === undefined ? undefined : await readSecretSetting({ ...TOKEN, variable }, io.env)
  const served = await serveOperations(gateway, {
    ...place,
    ...(token !== undefined && { token }),
    reload,
    ...(ready && { ready }),
    onAction: (action, subject) => io.say(`operations: ${action}${subject === undefined ? '' : ` ${toLine(subject)}`}`),
  }).catch(async (error: unknown) => {
    if (error instanceof HostError && variable !== undefined) {
      const remedy = `Set ${variable} to a longer one: \`openssl rand -hex 32\` makes one.`
      throw new CliError('config', `${variable}: ${error.message}`, remedy, error)
    }
    const { code, port } = error as NodeJS.ErrnoException & { readonly port?: number }
    if (code === 'EADDRINUSE' && port !== undefined) {
      const words = `The port for operations, ${port}, is in use ${await describeOwner(port)}`
      throw new CliError('unreachable', words, 'End it, or give another gateway.operations.port in the file.')
    }
    const reason = error instanceof Error ? error.message : String(error)
    throw new CliError('config', `The port for operations: ${reason}`, 'Change gateway.operations in the file.', error)
  })
  io.say(`Metrics are at ${served.url}/metrics${token === undefined ? '' : '; actions take the token'}.`)
  return served
}
