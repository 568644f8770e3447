/** The graphql server as it is listed and started by name. */

import { PorticoError } from '@portico/sdk/server'
import type { ServerEntry } from '../entry.ts'
import { countValue, flagValue, listValue, STRUCTURED, textValue } from '../entry-values.ts'

export const entry: ServerEntry = {
  name: 'graphql',
  about: 'Query any GraphQL service within limits of depth and cost; mutations only when told',
  positional: 'endpoint',
  options: {
    endpoint: { type: 'string', about: 'The address that documents are sent to' },
    schemaFile: { type: 'string', about: 'The schema as SDL or JSON', fallback: 'introspection' },
    mutations: { type: 'boolean', about: 'Offer mutations; each is asked about', fallback: 'false' },
    allowUnasked: { type: 'boolean', about: 'Send mutations for clients that cannot ask', fallback: 'false' },
    maxDepth: { type: 'number', about: 'Levels of fields in one document', fallback: '8' },
    maxCost: { type: 'number', about: 'Values that one document may bring, lists multiplied out', fallback: '5000' },
    defaultListSize: { type: 'number', about: 'Items of a list whose size is not asked for', fallback: '10' },
    fieldTools: { type: 'boolean', about: 'Also one tool for each root field', fallback: 'false' },
    maxTools: { type: 'number', about: 'Root fields up to which fieldTools counts', fallback: '50' },
    bearerEnv: { type: 'string', about: 'Name of the variable that holds a bearer token' },
    headersEnv: { type: 'string', multiple: true, about: 'Header-Name=VARIABLE, sent with every request' },
    maxResponseBytes: { type: 'number', about: 'Bytes of one answer, unpacked', fallback: '1000000' },
    maxSchemaBytes: { type: 'number', about: 'Bytes of the schema', fallback: '20000000' },
    timeoutMs: { type: 'number', about: 'How long one request may take', fallback: '30000' },
    allowPrivate: { type: 'string', multiple: true, about: 'host:port on a private address that may be reached' },
    structured: STRUCTURED,
  },
  async create(values) {
    const endpoint = textValue(values, 'endpoint')
    if (endpoint === undefined) throw new PorticoError('invalid-arguments', 'graphql needs the address of an endpoint')
    const { createGraphqlServer } = await import('./server.ts')
    return createGraphqlServer({
      endpoint,
      schemaFile: textValue(values, 'schemaFile'),
      mutations: flagValue(values, 'mutations'),
      allowUnasked: flagValue(values, 'allowUnasked'),
      maxDepth: countValue(values, 'maxDepth'),
      maxCost: countValue(values, 'maxCost'),
      defaultListSize: countValue(values, 'defaultListSize'),
      fieldTools: flagValue(values, 'fieldTools'),
      maxTools: countValue(values, 'maxTools'),
      bearerEnv: textValue(values, 'bearerEnv'),
      headersEnv: listValue(values, 'headersEnv'),
      maxResponseBytes: countValue(values, 'maxResponseBytes'),
      maxSchemaBytes: countValue(values, 'maxSchemaBytes'),
      timeoutMs: countValue(values, 'timeoutMs'),
      allowPrivate: listValue(values, 'allowPrivate'),
      structured: flagValue(values, 'structured'),
    })
  },
}
