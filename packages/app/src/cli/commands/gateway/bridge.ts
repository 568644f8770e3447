/**
 * `portico bridge`: a server on the other kind of connection. Started by a client, it brings a URL to the standard
 * streams and signs in for it; on a port, it brings a program to whoever may call.
 */

import { serveGateway } from '@portico/host/gateway'
import type { Protection } from '@portico/sdk/bearer'
import { CliError } from '../../../exit-codes.ts'
import { acceptIssuer, acceptOwnToken } from '../../gateway/caller-identity.ts'
import { serveUntilEnd, wishesOf } from '../../gateway/serving.ts'
import { openSingleGateway, readVariables } from '../../gateway/single-gateway.ts'
import type { CommandInput } from '../../parse/command.ts'
import { targetOptionsOf } from '../../target/target.ts'
import { targetIn } from '../../target/target-words.ts'
import type { Io } from '../../terminal/io.ts'

export async function run(input: CommandInput, io: Io): Promise<number> {
  const { flags } = input
  const wishes = wishesOf(flags, io, 'bridge')
  const guard = wishes.http === undefined && wishes.websocket === undefined ? undefined : protectionOf(input, io)
  const { gateway, ready, close } = await openSingleGateway(targetIn(input), io, {
    headers: targetOptionsOf(input).headers ?? {},
    env: readVariables(flags.env, io),
    ...(typeof flags['client-id'] === 'string' && { clientId: flags['client-id'] }),
    ...(Array.isArray(flags.scope) && { scopes: flags.scope }),
    allowAnonymous: flags['allow-anonymous'] === true,
  })
  // A sign-in that goes on while clients wait: what becomes of it is said here, and to them when they list.
  ready.catch(
    (error: unknown) => io.signal.aborted || io.say(`error: ${error instanceof Error ? error.message : error}`),
  )
  try {
    await serveUntilEnd(gateway.server, wishes, io, {
      json: input.json,
      listen: (options) => serveGateway(gateway, options),
      ...(guard?.protection !== undefined && { protection: { auth: guard.protection } }),
      ...(guard?.note !== undefined && { note: guard.note }),
    })
  } finally {
    await close()
  }
  return 0
}

/** Callers on a port are identified unless the person says that anybody may come. */
function protectionOf({ flags }: CommandInput, io: Io): { readonly protection?: Protection; readonly note?: string } {
  const { issuer, resource } = flags
  if (flags['allow-anonymous'] === true) {
    if (issuer !== undefined)
      throw new CliError('usage', 'bridge: --issuer and --allow-anonymous contradict each other')
    return { note: `${io.paint.yellow('warning')}: everybody who reaches the port can use the server.` }
  }
  if (typeof issuer === 'string') {
    if (typeof resource !== 'string') {
      throw new CliError(
        'usage',
        'bridge: --issuer needs --resource',
        'Give the URL under which clients know the bridge.',
      )
    }
    return { protection: acceptIssuer({ issuer, resource }) }
  }
  return acceptOwnToken(io.env)
}
