/** The opening of a conversation: `initialize` and `ping` of the older revisions, `server/discover` of the newest. */

import { INVALID_REQUEST, RpcError } from '../../jsonrpc/errors.ts'
import { isObject } from '../../jsonrpc/message.ts'
import type { ClientCapabilities, ServerCapabilities } from '../../protocol/capabilities.ts'
import type { Implementation } from '../../protocol/content.ts'
import { UNSUPPORTED_VERSION } from '../../protocol/errors.ts'
import { META_SERVER_INFO } from '../../protocol/meta.ts'
import type { ProtocolVersion } from '../../protocol/revision.ts'
import { negotiateLegacy } from '../../protocol/revisions.ts'
import { KEPT_LIMITS } from '../../session/kept-text.ts'
import type { ServerCall } from '../call/call.ts'
import { defineMethod, invalidParam, type ServerMethod, stringParam } from '../call/method.ts'
import { defineFeature, type Feature, type FeatureHost, type Introduction } from '../feature.ts'
import { cacheHints } from './list.ts'

export const LIFECYCLE = defineFeature('lifecycle', (server): Feature => ({ methods: () => createMethods(server) }))

function createMethods(host: FeatureHost): ServerMethod[] {
  return [
    defineMethod<object>({ method: 'ping', withoutContext: true, run: () => ({}), write: () => ({}) }),
    defineMethod<Introduction | undefined>({
      method: 'initialize',
      withoutContext: true,
      run: (call) => {
        initialize(host, call)
        return host.introduce(call)
      },
      write: (introduced, call) => {
        const { revision } = call.conversation
        return {
          protocolVersion: revision.version,
          capabilities: revision.writeServerCapabilities(withExperimental(capabilitiesOf(host, introduced, call))),
          serverInfo: revision.writeImplementation({ ...introduced?.info, ...host.info }),
          ...instructionsOf(host, introduced),
        }
      },
    }),
    defineMethod<Introduction | undefined>({
      method: 'server/discover',
      withoutContext: true,
      run: (call) => host.introduce(call),
      write: (introduced, call) => {
        const { revision } = call.conversation
        const info = introduced?.info && revision.writeImplementation({ ...introduced.info, ...host.info })
        return {
          supportedVersions: [...host.versions].reverse(),
          capabilities: revision.writeServerCapabilities(capabilitiesOf(host, introduced, call)),
          ...instructionsOf(host, introduced),
          // What is said of others depends on who asks.
          ...cacheHints(host.listCache, introduced !== undefined),
          ...(info && { _meta: { [META_SERVER_INFO]: info } }),
        }
      },
    }),
  ]
}

function capabilitiesOf(host: FeatureHost, introduced: Introduction | undefined, call: ServerCall): ServerCapabilities {
  const own = host.capabilities(call)
  if (introduced?.experimental === undefined) return own
  return { ...own, experimental: { ...introduced.experimental, ...own.experimental } }
}

function instructionsOf(host: FeatureHost, introduced: Introduction | undefined): { instructions?: string } {
  const texts = [host.instructions, introduced?.instructions].filter((text) => text !== undefined)
  return texts.length === 0 ? {} : { instructions: texts.join('\n\n') }
}

/** Extensions in the place that older revisions have for them. */
function withExperimental(capabilities: ServerCapabilities): ServerCapabilities {
  const { experimental, extensions } = capabilities
  return extensions === undefined ? capabilities : { ...capabilities, experimental: { ...extensions, ...experimental } }
}

export function unsupportedVersion(requested: string, versions: readonly ProtocolVersion[]): RpcError {
  const supported = [...versions].reverse()
  return new RpcError(UNSUPPORTED_VERSION, `Unsupported protocol version: ${requested.slice(0, 64)}`, {
    supported,
    requested,
  })
}

function initialize(host: FeatureHost, call: ServerCall): void {
  const { session, params } = call
  if (session === undefined || session.initialized) {
    throw new RpcError(INVALID_REQUEST, 'This session is initialized already')
  }
  const requested = stringParam(params, 'protocolVersion')
  if (!isObject(params.capabilities)) throw invalidParam('capabilities', 'must be an object')
  const revision = negotiateLegacy(requested, host.versions)
  if (revision === undefined) throw unsupportedVersion(requested, host.versions)
  // Capabilities are read member by member where they are used, so an ill-typed member reads as absent.
  const capabilities = params.capabilities as ClientCapabilities
  if (!session.agree({ revision, capabilities, clientInfo: readClientInfo(params.clientInfo) })) {
    const { maxCapabilitiesLength } = KEPT_LIMITS
    throw invalidParam('capabilities', `say too much: maxCapabilitiesLength (${maxCapabilitiesLength}) exceeded`)
  }
  if (!host.logs) session.logLevel = undefined
}

/** Early clients leave out the version; a name is all that is insisted on. */
function readClientInfo(value: unknown): Implementation {
  if (!isObject(value) || typeof value.name !== 'string') throw invalidParam('clientInfo', 'needs a name')
  return typeof value.version === 'string'
    ? (value as unknown as Implementation)
    : { ...value, name: value.name, version: '' }
}
