/** Where the gateway listens and who is let in, from the file and the command line, as the gateway's server wants it. */

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { GatewayHttpOptions } from '@portico/host/gateway'
import { type Protection, requireCertificate } from '@portico/sdk/bearer'
import { CliError } from '../../exit-codes.ts'
import { readPort } from '../parse/blocked-ports.ts'
import type { CommandInput } from '../parse/command.ts'
import { GATEWAY_PORT } from '../parse/default-ports.ts'
import type { Io } from '../terminal/io.ts'
import { acceptIssuer, acceptTokens } from './caller-identity.ts'
import type { AuthSettings, GatewaySettings } from './gateway-settings.ts'
import { NEW_TOKEN, readSecretSetting } from './secret-setting.ts'

/** What the command line says counts before what the file says. */
export function withFlags(settings: GatewaySettings, { flags }: CommandInput): GatewaySettings {
  const { port, host, auth, issuer, resource } = flags
  const allowed = flags['allow-host']
  const way = (auth ?? (issuer === undefined ? undefined : 'oauth')) as AuthSettings['way'] | undefined
  const same = settings.auth?.way === way || way === undefined ? settings.auth : undefined
  const identified: AuthSettings | undefined = way === undefined ? settings.auth : ({ ...same, way } as AuthSettings)
  return {
    ...settings,
    ...(port !== undefined && { port: readPort('port', port, 'serve') }),
    ...(typeof host === 'string' && { host }),
    ...(Array.isArray(allowed) && { allowedHosts: allowed as readonly string[] }),
    ...tlsOf(settings, flags),
    ...(identified !== undefined && {
      auth:
        identified.way === 'oauth'
          ? {
              ...identified,
              ...(typeof issuer === 'string' && { issuer }),
              ...(typeof resource === 'string' && { resource }),
            }
          : identified,
    }),
  }
}

function tlsOf({ tls }: GatewaySettings, flags: CommandInput['flags']): Pick<GatewaySettings, 'tls'> {
  const cert = flags['tls-cert'] ?? tls?.cert
  const key = flags['tls-key'] ?? tls?.key
  const clientCa = flags['client-ca'] ?? tls?.clientCa
  if (cert === undefined && key === undefined && clientCa === undefined) return {}
  if (typeof cert === 'string' && typeof key === 'string') {
    return { tls: { cert, key, ...(typeof clientCa === 'string' && { clientCa }) } }
  }
  throw new CliError(
    'usage',
    'serve: a certificate needs its key, and a client authority needs both',
    'Give --tls-cert and --tls-key.',
  )
}

export async function toHttpOptions(
  settings: GatewaySettings,
  input: CommandInput,
  io: Io,
): Promise<GatewayHttpOptions> {
  const { port = GATEWAY_PORT, host = '127.0.0.1', path, webSocketPath, allowedHosts, allowedOrigins, tls } = settings
  const protection = await protectionOf(settings, input, io)
  const certificates =
    tls?.clientCa === undefined ? undefined : settings.auth?.way === 'certificate' ? 'required' : 'optional'
  return {
    port,
    host,
    ...(path !== undefined && { path }),
    ...(webSocketPath !== undefined && { webSocketPath }),
    ...(allowedHosts !== undefined && { allowedHosts }),
    ...(allowedOrigins !== undefined && { allowedOrigins }),
    ...(protection !== undefined && { auth: protection }),
    ...(tls !== undefined && {
      tls: {
        cert: await readFile(resolve(io.cwd, tls.cert)),
        key: await readFile(resolve(io.cwd, tls.key)),
        ...(tls.clientCa !== undefined && { ca: await readFile(resolve(io.cwd, tls.clientCa)) }),
        ...(certificates !== undefined && { clientCertificate: certificates }),
      },
    }),
  }
}

/** The address under which clients know the gateway. */
export function resourceOf({
  auth,
  tls,
  port = GATEWAY_PORT,
  host = '127.0.0.1',
  path = '/mcp',
}: GatewaySettings): string {
  const given = auth?.way === 'oauth' ? auth.resource : undefined
  return given ?? `${tls === undefined ? 'http' : 'https'}://${host}:${port}${path}`
}

async function protectionOf(
  settings: GatewaySettings,
  { flags }: CommandInput,
  io: Io,
): Promise<Protection | undefined> {
  const { auth, tls, port = GATEWAY_PORT } = settings
  switch (auth?.way) {
    case 'oauth': {
      const { issuer, scopes, audiences } = auth
      if (issuer === undefined)
        throw new CliError('usage', 'serve: oauth needs an issuer', 'Give --issuer, or gateway.auth.issuer.')
      const resource = resourceOf(settings)
      return acceptIssuer({ issuer, resource, ...(scopes && { scopes }), ...(audiences && { audiences }) })
    }
    case 'token':
      return acceptTokens(await readTokens(auth.tokens, io))
    case 'certificate':
      if (tls?.clientCa !== undefined) return requireCertificate()
      throw new CliError(
        'usage',
        'serve: client certificates need an authority',
        'Give --client-ca, or gateway.tls.clientCa.',
      )
    case 'none':
      io.say(`${io.paint.yellow('warning')}: everybody who reaches the port can use these servers.`)
      return undefined
    case undefined:
      throw new CliError(
        'config',
        'Nothing says how callers are identified',
        `Give --issuer <url>, --auth token with PORTICO_TOKEN set, or --auth none${flags.port === undefined ? '' : ` for port ${port}`}.`,
      )
  }
}

async function readTokens(
  names: { readonly [caller: string]: string } | undefined,
  { env }: Pick<Io, 'env'>,
): Promise<ReadonlyMap<string, string>> {
  if (names === undefined) {
    const all = { what: 'the token that callers bring', setting: '`"auth": { "way": "token" }`' }
    return new Map([
      ['caller', await readSecretSetting({ ...all, variable: 'PORTICO_TOKEN', example: NEW_TOKEN }, env)],
    ])
  }
  const found = new Map<string, string>()
  for (const [caller, variable] of Object.entries(names)) {
    const one = { what: `the token of "${caller}"`, setting: `gateway.auth.tokens.${caller}` }
    found.set(caller, await readSecretSetting({ ...one, variable, example: NEW_TOKEN }, env))
  }
  return found
}
