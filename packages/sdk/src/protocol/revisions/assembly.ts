/**
 * Puts a `Revision` together from what it can say: the writers of what servers say are made once, here, when a revision's
 * module is loaded. What servers ask is in `questions.ts`, what clients say
 * in `client-messages.ts`.
 */

import { INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, RpcError } from '../../jsonrpc/errors.ts'
import { HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY, RESOURCE_NOT_FOUND, UNSUPPORTED_VERSION } from '../errors.ts'
import { methodSets } from '../methods.ts'
import type { Era, ProtocolVersion, Revision } from '../revision.ts'
import { createCapabilityWriter } from './capabilities.ts'
import { createContentWriter } from './content-blocks.ts'
import { createDefinitionWriter } from './definitions.ts'
import { toWire } from './omission.ts'
import { createResultWriter } from './results.ts'
import type { Vocabulary } from './vocabulary.ts'

export function defineRevision(version: ProtocolVersion, era: Era, vocabulary: Vocabulary): Revision {
  const content = createContentWriter(vocabulary)
  const definitions = createDefinitionWriter(vocabulary, content)
  const results = createResultWriter(vocabulary, content)
  const capabilities = createCapabilityWriter(vocabulary)

  return {
    version,
    era,
    traits: vocabulary,
    ...methodSets(version),

    writeImplementation: (info) => toWire(definitions.implementation(info)),
    writeServerCapabilities: (value) => toWire(capabilities(value)),
    writeTool: (tool) => toWire(definitions.tool(tool)),
    writeResource: (resource) => toWire(definitions.resource(resource)),
    writeResourceTemplate: (template) => toWire(definitions.template(template)),
    writePrompt: (prompt) => toWire(definitions.prompt(prompt)),
    writeCallToolResult: (result) => toWire(results.callTool(result)),
    writeReadResourceResult: (result) => toWire(results.readResource(result)),
    writeGetPromptResult: (result) => toWire(results.getPrompt(result)),
    writeCompleteResult: toWire,

    resourceNotFound: era === 'modern' ? modernNotFound : legacyNotFound,
    httpStatus: era === 'modern' ? modernStatus : legacyStatus,
  }
}

function legacyNotFound(uri: string): RpcError {
  return new RpcError(RESOURCE_NOT_FOUND, 'Resource not found', { uri })
}

function modernNotFound(uri: string): RpcError {
  return new RpcError(INVALID_PARAMS, 'Resource not found', { uri })
}

function legacyStatus(errorCode: number): number {
  return errorCode === PARSE_ERROR || errorCode === INVALID_REQUEST ? 400 : 200
}

/**
 * Only codes that always mean a refused message map to a status (2026-07-28, Streamable HTTP, "Protocol Version Header"
 * and "Server Validation"). `-32602` is also what handlers answer, so a missing `_meta` field gets its 400 where it is found.
 */
function modernStatus(errorCode: number): number {
  switch (errorCode) {
    case METHOD_NOT_FOUND:
      return 404
    case PARSE_ERROR:
    case INVALID_REQUEST:
    case HEADER_MISMATCH:
    case MISSING_CLIENT_CAPABILITY:
    case UNSUPPORTED_VERSION:
      return 400
    default:
      return 200
  }
}
